// Plain JavaScript without dependencies: `npm start` checks its port before anything is installed or built.

/**
 * @typedef {object} ListenPlace
 * @property {string} host
 * @property {number} port
 * @property {string} command The beginning of the suggested command, such as `npm start --`.
 * @property {string} [besidesAnother] Further options for when another Millrace has the port: ` --data other`.
 */

const IDENTIFY_MILLISECONDS = 1_000;
/** Langflow's default port, which Millrace uses as well. */
const STANDARD_PORT = 7860;

/**
 * Resolves to why a server cannot listen, as { sentence, isWrongHost }. The sentence ends with a suggestion in terms of
 * `command` and its options --port and --host; `besidesAnother` lists further options for a second Millrace.
 * @param {unknown} error
 * @param {ListenPlace} place
 * @returns {Promise<{ readonly sentence: string, readonly isWrongHost: boolean }>}
 */
module.exports.listenFailure = async function listenFailure(
  error,
  { host, port, command, besidesAnother = '' },
) {
  const { message, code = '' } = /** @type {NodeJS.ErrnoException} */ (error);
  const isWrongHost = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL', 'EAFNOSUPPORT'].includes(code);
  if (isWrongHost)
    return {
      isWrongHost,
      sentence: `"${host}" is not an address of this machine (${code}); ${command} --host 127.0.0.1`,
    };
  const place = { host, port, command, besidesAnother };
  return { isWrongHost, sentence: await sentenceFor({ message, code }, place) };
};

/**
 * @param {{ readonly message: string, readonly code: string }} error
 * @param {Required<ListenPlace>} place
 */
async function sentenceFor({ message, code }, { host, port, command, besidesAnother }) {
  if (code === 'EADDRINUSE') {
    const next = port < 65_535 ? port + 1 : STANDARD_PORT + 1;
    const name = await holder(host, port);
    const more = /^Millrace/i.test(name) ? besidesAnother : '';
    return `port ${port} is in use${name === '' ? '' : `, by ${name}`}; ${command} --port ${next}${more}`;
  }
  if (code === 'EACCES')
    return `port ${port} needs privileges that this user does not have; ${command} --port ${STANDARD_PORT}`;
  return `port ${port} of ${host} cannot be opened: ${message}`;
}

/**
 * Identifies the program on the port: Langflow and Millrace both report their name with their version.
 * @param {string} host
 * @param {number} port
 */
async function holder(host, port) {
  const place = ['0.0.0.0', '::', ''].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const name = await fetch(`http://${place}:${port}/api/v1/version`, {
    signal: AbortSignal.timeout(IDENTIFY_MILLISECONDS),
  })
    .then((answer) => answer.json())
    .then((body) =>
      typeof body === 'object' && body !== null && 'package' in body ? body.package : undefined,
    )
    .catch(() => undefined);
  if (typeof name === 'string' && /^(?:Langflow|Millrace)\b[\w .-]*$/i.test(name)) return name.slice(0, 40);
  return port === STANDARD_PORT ? 'Langflow perhaps' : '';
}
