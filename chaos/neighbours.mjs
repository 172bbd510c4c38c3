import { uploadDeliveryFlow } from './flows.mjs';

const NEIGHBOURS = 2;

/**
 * Creates further users, each with a flow for deliveries to their triggers. Resolves to { key, delivery } of each.
 * @param {Parameters<typeof uploadDeliveryFlow>[0]} options of the first user
 */
export async function createNeighbours({ url, key, ...rest }) {
  const neighbours = [];
  for (let number = 1; number <= NEIGHBOURS; number += 1) {
    const response = await fetch(`${url}/api/v1/users/`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ username: `neighbour-${number}` }),
    });
    if (response.status !== 201)
      throw new Error(`the user was refused: ${response.status} ${await response.text()}`);
    const { api_key: own } = /** @type {{ api_key: string }} */ (await response.json());
    neighbours.push({ key: own, delivery: await uploadDeliveryFlow({ url, key: own, ...rest }) });
  }
  return neighbours;
}
