// An MCP server with one tool, which returns the credentials that the server was given. Run as a program, it serves its
// standard input, one message a line.
const { createInterface } = require('node:readline');

/**
 * Returns the answer to a message; null for a notification.
 * @param {{ readonly id?: number, readonly method: string, readonly params?: { readonly arguments?: { readonly fails?: string } } }} message
 * @param {string} credentials
 */
function answerMcp({ id, method, params }, credentials) {
  if (id === undefined) return null;
  return { jsonrpc: '2.0', id, result: resultOf(method, params?.arguments?.fails === 'yes', credentials) };
}

/**
 * @param {string} method
 * @param {boolean} isError
 * @param {string} credentials
 */
function resultOf(method, isError, credentials) {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1' },
    };
  if (method === 'tools/list') {
    const inputSchema = { type: 'object', properties: { fails: { type: 'string' } } };
    return { tools: [{ name: 'credentials', description: 'Returns its credentials.', inputSchema }] };
  }
  return { isError, content: [{ type: 'text', text: `Connected with ${credentials}` }] };
}

module.exports = { answerMcp };

if (require.main === module) {
  const credentials = `${process.argv.slice(2).join(' ')} ${JSON.stringify(process.env)}`;
  createInterface({ input: process.stdin }).on('line', (line) => {
    const answer = answerMcp(JSON.parse(line), credentials);
    if (answer !== null) console.log(JSON.stringify(answer));
  });
}
