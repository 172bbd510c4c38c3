import type { StoredRequest } from '@millrace/runs';
import { escapeHtml } from '../../http/answers/escape-html';

/** The style of the page, allowed by its hash; the page loads and runs nothing else. */
export const DECISION_STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 40rem; padding: 0 1rem; overflow-wrap: anywhere }
pre, textarea { border: 1px solid; border-radius: 6px; box-sizing: border-box; font: 13px/1.5 ui-monospace, monospace; padding: .75rem; width: 100% }
pre { overflow: auto; white-space: pre-wrap }
label { display: block; font-weight: 600; margin: 1rem 0 }
button { border: 1px solid; border-radius: 6px; font: inherit; margin: 0 .5rem .5rem 0; min-height: 44px; padding: 0 1.25rem }
`;

/** Returns the page that shows a request and takes one of the choices. */
export function decisionPage(request: StoredRequest, choices: readonly string[]): string {
  const { kind, prompt, action_requests: calls = [], pausedAt, dueAt, options } = request;
  const labelOf = (id: string) => options.find(({ action_id }) => action_id === id)?.label ?? id;
  const isApproval = kind === 'tool_approval';
  const shown = isApproval
    ? calls.map(({ name, args }) => `<h2>${escapeHtml(name)}</h2><pre>${pretty(args)}</pre>`).join('\n')
    : `<pre>${escapeHtml(prompt)}</pre>`;
  const message =
    isApproval && choices.some((id) => id !== 'approve')
      ? '<label>Message to the model, of “Reject” and “Respond”<textarea name="message" rows="3"></textarea></label>'
      : '';
  const args =
    isApproval && choices.includes('edit')
      ? `<label>Arguments of the first call, of “Edit” (JSON)<textarea name="args" rows="8">${pretty(calls[0]?.args ?? {})}</textarea></label>`
      : '';
  const buttons = choices.map(
    (id) => `<button name="action_id" value="${escapeHtml(id)}">${escapeHtml(labelOf(id))}</button>`,
  );
  const until = dueAt === null ? '' : `, and waits until ${dueAt.toISOString()}`;
  return page(
    isApproval ? 'A run wants to call a tool' : 'A run asks you',
    `${shown}
<form method="post">
${message}${args}
<p>${buttons.join('\n')}</p>
</form>
<p>The run ${escapeHtml(request.runId)} has waited since ${pausedAt.toISOString()}${until}.</p>`,
  );
}

/** Returns a page with a title and a sentence. */
export function sentencePage(title: string, sentence: string): string {
  return page(title, `<p>${escapeHtml(sentence)}</p>`);
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${DECISION_STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

function pretty(value: unknown): string {
  return escapeHtml(JSON.stringify(value, null, 2));
}
