import { request } from 'node:http';
import { codeOf } from '../../tools/workspace/error-fields.mjs';

/** @import { Agent, IncomingHttpHeaders } from 'node:http' */

/**
 * @typedef {object} PostOptions
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {number} timeoutMilliseconds
 * @property {AbortSignal} [signal]
 * @property {Agent | false} [agent]
 *
 * @typedef {object} HttpAnswer
 * @property {number} status 0 when no complete answer arrived; `problem` is the reason, `begun` the status that arrived.
 * @property {IncomingHttpHeaders} headers
 * @property {string} body
 * @property {number} milliseconds
 * @property {number} startedAt Milliseconds since the epoch.
 * @property {string} [problem]
 * @property {number} [begun]
 */

const MAXIMUM_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Posts JSON, on a new connection unless an agent is given. Resolves to { status, headers, body, milliseconds, startedAt,
 * problem }: status 0 means that no complete answer arrived, and `problem` is the reason. Never rejects.
 * @param {string} url
 * @param {unknown} body
 * @param {PostOptions} options
 * @returns {Promise<HttpAnswer>}
 */
export function post(url, body, { headers = {}, timeoutMilliseconds, signal, agent = false }) {
  const startedAt = Date.now();
  const text = JSON.stringify(body);
  return new Promise((resolve) => {
    /** @param {Omit<HttpAnswer, 'startedAt' | 'milliseconds'>} result */
    const end = (result) => {
      clearTimeout(timer);
      resolve({ startedAt, milliseconds: Date.now() - startedAt, ...result });
    };
    const call = request(
      url,
      {
        agent,
        method: 'POST',
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...(agent ? {} : { connection: 'close' }),
          ...headers,
        },
      },
      (response) => {
        /** @type {Buffer[]} */
        const chunks = [];
        let bytes = 0;
        response.on('data', (chunk) => {
          bytes += chunk.length;
          if (bytes > MAXIMUM_BODY_BYTES) call.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        const whole = () => Buffer.concat(chunks).toString('utf8');
        const { headers: answered, statusCode: status = 0 } = response;
        response.on('end', () => end({ status, headers: answered, body: whole() }));
        // Return the received part, too: a truncated answer is a finding.
        response.on('error', (error) =>
          end({
            status: 0,
            begun: status,
            headers: answered,
            body: whole(),
            problem: codeOf(error) ?? error.message,
          }),
        );
      },
    );
    const timer = setTimeout(
      () => call.destroy(Object.assign(new Error('no answer in time'), { code: 'NO_ANSWER' })),
      timeoutMilliseconds,
    );
    call.on('error', (error) =>
      end({ status: 0, headers: {}, body: '', problem: codeOf(error) ?? error.message }),
    );
    call.end(text);
  });
}
