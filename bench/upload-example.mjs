import { readFileSync } from 'node:fs';

/** Stores an example flow under an endpoint name, with flow settings of its own; resolves to the endpoint name. */
export async function uploadExample(system, example, endpointName, settings = {}) {
  const flow = JSON.parse(readFileSync(new URL(`../examples/${example}.json`, import.meta.url), 'utf8'));
  const response = await fetch(`${system.url}/api/v1/flows/`, {
    method: 'POST',
    headers: { 'x-api-key': system.key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...flow, endpoint_name: endpointName, settings }),
  });
  if (response.status !== 201)
    throw new Error(`upload answered ${response.status}: ${await response.text()}`);
  return (await response.json()).endpoint_name;
}
