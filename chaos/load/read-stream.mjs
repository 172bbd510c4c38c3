/**
 * @typedef {object} StreamOutcome
 * @property {number} ends
 * @property {string[]} errors
 * @property {string} text
 * @property {boolean} isWhole
 */

/**
 * Parses a streamed answer: number of end events, errors, the joined tokens of its last attempt, and completeness.
 * @param {string} body
 */
export function readStream(body) {
  /** @type {StreamOutcome} */
  const outcome = { ends: 0, errors: [], text: '', isWhole: body === '' || body.endsWith('\n\n') };
  for (const part of body.split('\n\n')) {
    if (part === '') continue;
    let event;
    try {
      event = JSON.parse(part);
    } catch {
      outcome.isWhole = false;
      continue;
    }
    // The executor crashed; the next attempt starts from the beginning.
    if (event.event === 'restart') outcome.text = '';
    if (event.event === 'end') outcome.ends += 1;
    if (event.event === 'error') outcome.errors.push(JSON.stringify(event.data).slice(0, 300));
    if (event.event === 'token') outcome.text += event.data.chunk;
  }
  return outcome;
}
