// A server of the Model Context Protocol, built with its official SDK. Tests connect to it over HTTP, events and pipes.
// Run as a program, it serves its pipes.
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

const anything = { type: 'object', properties: {} };
const grinding = {
  type: 'object',
  properties: { grain: { type: 'string' }, sacks: { type: 'integer' }, fine: { type: 'boolean' } },
  required: ['grain'],
};

const tools = {
  grind: { description: 'Grinds grain to flour.', inputSchema: grinding, answer: grind },
  stock: { description: 'Returns the stock.', inputSchema: anything, answer: stock },
  break: {
    description: 'Breaks the wheel.',
    inputSchema: anything,
    answer: () => ({ ...textResult('The wheel is broken.'), isError: true }),
  },
  turn: { description: 'Never answers.', inputSchema: anything, answer: () => new Promise(() => undefined) },
  flood: {
    description: 'Returns a response that is too large.',
    inputSchema: anything,
    answer: () => textResult('x'.repeat(11 * 1024 * 1024)),
  },
  meta: {
    description: 'Returns what its call has beside the arguments.',
    inputSchema: anything,
    answer: (_given, { requestInfo, _meta = {} }) =>
      textResult(JSON.stringify({ ..._meta, header: requestInfo?.headers['idempotency-key'] })),
  },
  environment: {
    description: 'Returns its environment.',
    inputSchema: anything,
    answer: () => textResult(JSON.stringify({ ...process.env, PROCESS: process.pid })),
  },
};

function createMillServer() {
  const server = new Server({ name: 'mill', version: '1.0.0' }, { capabilities: { tools: {} } });
  // Two pages, as large servers return them.
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const all = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema,
    }));
    return params?.cursor === 'rest'
      ? { tools: all.slice(2) }
      : { tools: all.slice(0, 2), nextCursor: 'rest' };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined;
    if (tool === undefined) throw new Error(`unknown tool ${params.name}`);
    return tool.answer(params.arguments ?? {}, extra);
  });
  return server;
}

function grind({ grain, sacks = 1, fine = false, ...others }) {
  const isWrong = typeof grain !== 'string' || !Number.isInteger(sacks) || typeof fine !== 'boolean';
  if (isWrong || Object.keys(others).length > 0) throw new Error('wrong arguments');
  return textResult(`${sacks} ${sacks === 1 ? 'sack' : 'sacks'} of ${fine ? 'fine ' : ''}${grain} flour`);
}

function stock() {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  return {
    content: [...textResult('{"rye": 3, "wheat": 5}').content, ...textResult('[1, 2]').content, image],
  };
}

function textResult(text) {
  return { content: [{ type: 'text', text }] };
}

module.exports = { createMillServer };

if (require.main === module) void createMillServer().connect(new StdioServerTransport());
