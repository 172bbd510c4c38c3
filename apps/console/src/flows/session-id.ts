/** Makes the id of a new session: readable, in the order of time, and different in two tabs. */
export function newSessionId(): string {
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return `${time} ${random.toString(36).slice(0, 4)}`;
}
