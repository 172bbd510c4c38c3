// The limit of a streamed run: Express and the model's client; each token becomes one line of JSON.
const { OpenAI } = require('openai');
const { listen, run } = require('./bare-app.cjs');

const client = new OpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY });

run(() =>
  listen(async ({ input_value: content }, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    /** @type {import('openai').OpenAI.ChatCompletionMessageParam[]} */
    const messages = [{ role: 'user', content }];
    const stream = await client.chat.completions.create({ model: 'echo', messages, stream: true });
    for await (const { choices } of stream) {
      const chunk = choices[0]?.delta.content;
      if (chunk) response.write(`${JSON.stringify({ event: 'token', data: { chunk } })}\n\n`);
    }
    response.end();
  }),
);
