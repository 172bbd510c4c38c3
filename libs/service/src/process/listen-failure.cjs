// Plain JavaScript without dependencies: `npm start` checks its port before anything is installed or built.

const IDENTIFY_MILLISECONDS = 1_000;
/** Langflow's default port, which Millrace uses as well. */
const STANDARD_PORT = 7860;

/**
 * Resolves to why a server cannot listen, as { sentence, isWrongHost }. The sentence ends with a suggestion in terms of
 * `command` and its options --port and --host; `besidesAnother` lists further options for a second Millrace.
 */
module.exports.listenFailure = async function listenFailure(
  error,
  { host, port, command, besidesAnother = '' },
) {
  const isWrongHost = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL', 'EAFNOSUPPORT'].includes(
    error.code,
  );
  return {
    isWrongHost,
    sentence: await sentenceFor(error, { host, port, command, besidesAnother, isWrongHost }),
  };
};

async function sentenceFor(error, { host, port, command, besidesAnother, isWrongHost }) {
  if (isWrongHost)
    return `"${host}" is not an address of this machine (${error.code}); ${command} --host 127.0.0.1`;
  if (error.code === 'EADDRINUSE') {
    const next = port < 65_535 ? port + 1 : STANDARD_PORT + 1;
    const name = await holder(host, port);
    const more = /^Millrace/i.test(name) ? besidesAnother : '';
    return `port ${port} is in use${name === '' ? '' : `, by ${name}`}; ${command} --port ${next}${more}`;
  }
  if (error.code === 'EACCES')
    return `port ${port} needs privileges that this user does not have; ${command} --port ${STANDARD_PORT}`;
  return `port ${port} of ${host} cannot be opened: ${error.message}`;
}

/** Identifies the program on the port: Langflow and Millrace both report their name with their version. */
async function holder(host, port) {
  const place = ['0.0.0.0', '::', ''].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const name = await fetch(`http://${place}:${port}/api/v1/version`, {
    signal: AbortSignal.timeout(IDENTIFY_MILLISECONDS),
  })
    .then((answer) => answer.json())
    .then((body) => body?.package)
    .catch(() => undefined);
  if (typeof name === 'string' && /^(?:Langflow|Millrace)\b[\w .-]*$/i.test(name)) return name.slice(0, 40);
  return port === STANDARD_PORT ? 'Langflow perhaps' : '';
}
