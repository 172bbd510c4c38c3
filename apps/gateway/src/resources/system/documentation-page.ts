/** The page loads its own files alone. The reference sets styles of elements by script, which needs no exception. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the page of the API reference. Its addresses are relative, so that it also works below a path. */
export function documentationPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Millrace: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css?v=${version}">
<link rel="stylesheet" href="docs/reference.css?v=${version}">
<script src="docs/swagger-ui-bundle.js?v=${version}" defer></script>
<script src="docs/reference.js?v=${version}" defer></script>
</head>
<body>
<main id="reference"></main>
<noscript><p>The reference needs scripts. The same as documents: <a href="openapi.json">openapi.json</a>, and for the messages
between the processes <a href="asyncapi.json">asyncapi.json</a>.</p></noscript>
</body>
</html>
`;
}

/** Shows the document. The filter searches paths, methods and summaries; a session of the console counts for try-outs. */
export const REFERENCE_SCRIPT = `'use strict';
const search = () => ({
  fn: {
    opsFilter(groups, phrase) {
      const words = phrase.toLowerCase().split(/\\s+/).filter(Boolean);
      const isFound = (operation) => {
        const summary = operation.getIn(['operation', 'summary']) || '';
        const text = [operation.get('method'), operation.get('path'), summary].join(' ').toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return groups
        .map((group) => group.update('operations', (operations) => operations.filter(isFound)))
        .filter((group) => group.get('operations').size > 0);
    },
  },
});
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  plugins: [search],
  requestInterceptor(request) {
    const hasKey = Object.keys(request.headers).some((name) => /^(x-api-key|authorization)$/i.test(name));
    if (!hasKey) request.headers['x-millrace-console'] = '1';
    return request;
  },
});
`;

export const REFERENCE_STYLE = `
html { color-scheme: light }
body { margin: 0; background: #fff }
noscript p { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem }
`;
