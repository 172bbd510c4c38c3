/** Makes a user of the system with a key of its own; resolves to a caller as `upload` takes one, with its `id`. */
export async function addUser(system, username) {
  const response = await fetch(`${system.url}/api/v1/users`, {
    method: 'POST',
    headers: { ...system.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ username }),
  });
  if (response.status !== 201)
    throw new Error(`a new user was answered ${response.status}: ${await response.text()}`);
  const { id, api_key: key } = await response.json();
  return { url: system.url, id, headers: { 'x-api-key': key } };
}
