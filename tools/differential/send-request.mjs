/**
 * Sends a request, once more when the connection broke: a server closes a connection that is idle while it is taken again.
 * @param {string} url
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function sendRequest(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return fetch(url, options);
  }
}
