// The first import of each command: prints an uncaught error as one sentence. MILLRACE_DEBUG=1 prints its stack.
process.on('uncaughtException', (error) => {
  const isDebugging = (process.env.MILLRACE_DEBUG ?? '') !== '';
  console.error(isDebugging ? (error?.stack ?? error) : sentence(error));
  process.exit(1);
});

/**
 * Returns the message of an error, followed by that of its cause unless it contains it.
 * @param {unknown} error
 */
function sentence(error) {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return !(cause instanceof Error) || message.includes(cause.message)
    ? message
    : `${message}: ${cause.message}`;
}
