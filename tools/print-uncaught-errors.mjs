// The first import of each command: prints an uncaught error as one sentence. MILLRACE_DEBUG=1 prints its stack.
process.on('uncaughtException', (error) => {
  const isDebugging = (process.env.MILLRACE_DEBUG ?? '') !== '';
  console.error(isDebugging ? (error?.stack ?? error) : sentence(error));
  process.exit(1);
});

/** Returns the message of an error, followed by that of its cause unless it contains it. */
function sentence(error) {
  const message = error?.message ?? String(error);
  const cause = error?.cause?.message;
  return cause === undefined || message.includes(cause) ? message : `${message}: ${cause}`;
}
