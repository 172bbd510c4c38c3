// Imported first by each command: what ends it unexpectedly is printed as a sentence. MILLRACE_DEBUG=1 adds the stack.
process.on('uncaughtException', (error) => {
  const isDebugging = (process.env.MILLRACE_DEBUG ?? '') !== '';
  console.error(isDebugging ? (error?.stack ?? error) : sentence(error));
  process.exit(1);
});

/** The message, and those of its causes that it does not repeat. */
function sentence(error) {
  const message = error?.message ?? String(error);
  const cause = error?.cause?.message;
  return cause === undefined || message.includes(cause) ? message : `${message}: ${cause}`;
}
