import { version } from '@millrace/service';
import { escapeHtml } from '../../http/answers/escape-html';

/** The style of the page, allowed by its hash; the page loads and runs nothing else. */
export const HOME_STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 46rem; padding: 0 1rem }
h1 small { font-weight: normal; font-size: 1rem; opacity: .7 }
dt { font-weight: 600 }
dd { margin: 0 0 .75rem }
pre { border: 1px solid; border-radius: 6px; overflow: auto; padding: .75rem; font-size: 13px }
`;

/** Returns the HTML page at `/`: the product, its health, links to the documentation, and first commands. */
export function homePage(baseUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Millrace</title>
<style>${HOME_STYLE}</style>
</head>
<body>
<h1>Millrace <small>${escapeHtml(version)}</small></h1>
<p>This server runs flows exported from Langflow, over the same HTTP interface.</p>
<dl>
<dt>Health</dt>
<dd><a href="health">/health</a>: the process is alive; <a href="readyz">/readyz</a>: the process is ready, with the state of its dependencies;
<a href="metrics">/metrics</a>: metrics for Prometheus</dd>
<dt>Documentation</dt>
<dd><a href="guide/">/guide</a>: the documentation; <a href="docs">/docs</a>: all operations; <a href="openapi.json">/openapi.json</a>: the same as an OpenAPI document</dd>
</dl>
<h2>First commands</h2>
<p>The first command reads the API key of a server that was started with <code>npm start</code> in the current folder. To
use another key, set <code>MILLRACE_API_KEY</code> to it. <code>npm start</code> creates the flow <code>echo</code>; use the
id or the endpoint name of any other flow in its place.</p>
<pre>${homeCommands(baseUrl).map(escapeHtml).join('\n')}</pre>
</body>
</html>
`;
}

/** Returns the commands of the page, for a POSIX shell. */
export function homeCommands(baseUrl: string): readonly string[] {
  const key = '-H "x-api-key: $MILLRACE_API_KEY"';
  return [
    'export MILLRACE_API_KEY="$(npm start --silent -- --show-key)"',
    `curl '${baseUrl}/api/v1/flows/' ${key}`,
    `curl -X POST '${baseUrl}/api/v1/run/echo' ${key} -H 'content-type: application/json' -d '{"input_value":"hello"}'`,
  ];
}
