import { setTimeout as pause } from 'node:timers/promises';

const ATTEMPTS = 3;

/**
 * Sends a request, again when the connection broke: a server closes a connection that is idle while it is taken again.
 * @param {string} url
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function sendRequest(url, options) {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await fetch(url, options);
    } catch (error) {
      if (!(error instanceof TypeError) || attempt === ATTEMPTS) throw error;
      await pause(100);
    }
}
