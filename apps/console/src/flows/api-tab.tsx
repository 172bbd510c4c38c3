import { useState } from 'react';
import { Link } from 'wouter';
import type { Flow } from '../api/answers';
import { Button, Card, Paste } from '../ui/parts';
import { McpSwitch } from './mcp-switch';

const LANGUAGES = {
  curl: (base: string, flow: string) => `curl -X POST '${base}/api/v1/run/${flow}' \\
  -H "x-api-key: $MILLRACE_API_KEY" -H 'content-type: application/json' \\
  -d '{"input_value": "hello"}'`,
  'curl, streamed': (
    base: string,
    flow: string,
  ) => `curl -N -X POST '${base}/api/v1/run/${flow}?stream=true' \\
  -H "x-api-key: $MILLRACE_API_KEY" -H 'content-type: application/json' \\
  -d '{"input_value": "hello"}'`,
  Python: (base: string, flow: string) => `import os, requests

answer = requests.post(
    "${base}/api/v1/run/${flow}",
    headers={"x-api-key": os.environ["MILLRACE_API_KEY"]},
    json={"input_value": "hello"},
    timeout=120,
)
answer.raise_for_status()
print(answer.json()["outputs"][0]["outputs"][0]["results"])`,
  TypeScript: (base: string, flow: string) => `const answer = await fetch('${base}/api/v1/run/${flow}', {
  method: 'POST',
  headers: {
    'x-api-key': process.env.MILLRACE_API_KEY ?? '',
    'content-type': 'application/json',
  },
  body: JSON.stringify({ input_value: 'hello' }),
});
if (!answer.ok) throw new Error(await answer.text());
console.log(await answer.json());`,
  'OpenAI client': (base: string, flow: string) => `import os
from openai import OpenAI

key = os.environ["MILLRACE_API_KEY"]
client = OpenAI(base_url="${base}/api/v1", api_key=key, default_headers={"x-api-key": key})
answer = client.responses.create(model="${flow}", input="hello")
print(answer.output_text)`,
} as const;

type Language = keyof typeof LANGUAGES;

/** Ready lines that run the flow from a program. */
export function ApiTab({ flow, endpoint }: { readonly flow: Flow; readonly endpoint: string }) {
  const [language, setLanguage] = useState<Language>('curl');
  const server = flow.folder_id ? `/project/${encodeURIComponent(flow.folder_id)}` : '';
  return (
    <>
      <Card title="Run this flow from a program">
        <div className="stack">
          <div className="chips" role="group" aria-label="Language">
            {(Object.keys(LANGUAGES) as Language[]).map((each) => (
              <button
                key={each}
                type="button"
                className="chip"
                aria-pressed={each === language}
                onClick={() => setLanguage(each)}
              >
                {each}
              </button>
            ))}
          </div>
          <Paste text={LANGUAGES[language](location.origin, endpoint)} label={language} />
          <p className="muted">
            The lines read an API key from MILLRACE_API_KEY; a key of scope “run” is enough. The header
            Prefer: respond-async stores the run first and answers at once.
          </p>
          <Button className="start" onClick={() => window.open('/guide/api/', '_blank', 'noreferrer')}>
            All operations
          </Button>
        </div>
      </Card>
      <Card title="Tool of an MCP client">
        <div className="stack">
          <Paste
            text={`${location.origin}/api/v1/mcp${server}/streamable`}
            label="Address of the MCP server"
          />
          <p className="muted">
            {flow.mcp_enabled
              ? `The flow is a tool of this server${flow.action_name ? `, named ${flow.action_name}` : ''}.`
              : 'The flow is not a tool yet.'}{' '}
            <Link href="/mcp">All MCP servers</Link>
          </p>
          <McpSwitch flow={flow} />
        </div>
      </Card>
    </>
  );
}
