/** What a streamed answer told: how often it ended, what errors it named, and the tokens of its last attempt joined. */
export function readStream(body) {
  const told = { ends: 0, errors: [], text: '', isWhole: body === '' || body.endsWith('\n\n') };
  for (const part of body.split('\n\n')) {
    if (part === '') continue;
    let event;
    try {
      event = JSON.parse(part);
    } catch {
      told.isWhole = false;
      continue;
    }
    // The executor died: the next one begins at the beginning.
    if (event.event === 'restart') told.text = '';
    if (event.event === 'end') told.ends += 1;
    if (event.event === 'error') told.errors.push(JSON.stringify(event.data).slice(0, 300));
    if (event.event === 'token') told.text += event.data.chunk;
  }
  return told;
}
