import { escapeHtml } from '../../http/escape-html';
import type { OpenApiDocument, OpenApiOperation } from '../../openapi/openapi-document';

/** The style of the page, allowed by its hash; the page loads and runs nothing else. */
export const PAGE_STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1c2430 }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #d5dae1 }
details { border: 1px solid #d5dae1; border-radius: 6px; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer }
summary b { display: inline-block; min-width: 4.5rem; color: #0b5cad }
pre { background: #f4f6f8; border-radius: 6px; overflow: auto; max-height: 24rem; padding: .75rem; font-size: 13px }
td, th { text-align: left; vertical-align: top; padding: .15rem 1rem .15rem 0 }
`;

/** Renders the document as an HTML page without scripts and external resources. */
export function documentationPage(document: OpenApiDocument): string {
  const groups = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = ''] = operation.tags;
      groups.set(tag, [...(groups.get(tag) ?? []), operationPart(method, path, operation)]);
    }
  }
  const parts = [...groups].map(
    ([tag, operations]) => `<h2>${escapeHtml(tag)}</h2>\n${operations.join('\n')}`,
  );
  const { title, description } = document.info;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(String(title))}</title><style>${PAGE_STYLE}</style></head>
<body>
<h1>${escapeHtml(String(title))}</h1>
<p>${escapeHtml(String(description))} The same as an OpenAPI document: <a href="openapi.json">openapi.json</a>. Messages
between the processes: <a href="asyncapi.json">asyncapi.json</a>.</p>
${parts.join('\n')}
<h2>Shared schemas</h2>
${schemaPart(document.components)}
</body>
</html>
`;
}

function operationPart(method: string, path: string, operation: OpenApiOperation): string {
  const { summary, parameters = [], requestBody, responses } = operation;
  const inputs = parameters.map(
    ({ name, in: location, description = '' }) =>
      `<tr><td>${escapeHtml(name)}<td>${location}<td>${escapeHtml(description)}`,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<p>Body, ${escapeHtml(type)}</p>${schemaPart(schema)}`,
  );
  const answers = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const schemas = Object.values(content).map(({ schema }) => schemaPart(schema));
    return `<tr><th>${status}<td>${escapeHtml(description).replaceAll('\n\n', '<br>')}${schemas.join('')}`;
  });
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
${inputs.length > 0 ? `<table>${inputs.join('\n')}</table>` : ''}${bodies.join('\n')}
<table>${answers.join('\n')}</table></details>`;
}

function schemaPart(schema: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`;
}
