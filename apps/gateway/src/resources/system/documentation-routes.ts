import { asyncApiDocument } from '@millrace/messages';
import { version } from '@millrace/service';
import { publicPage } from '../../http/routing/route';
import type { DocumentedRoute, Route } from '../../http/routing/route';
import { packJson, sendPackedJson } from '../../http/answers/send-json';
import type { PackedJson } from '../../http/answers/send-json';
import { openApiDocument } from '../../openapi/openapi-document';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

const operations = {
  openApi: {
    summary: 'The HTTP interface as an OpenAPI document',
    answers: { 200: json('An OpenAPI 3.1 document', { type: 'object' }) },
  },
  asyncApi: {
    summary: 'The messages between the processes as an AsyncAPI document',
    answers: { 200: json('An AsyncAPI 3.0 document', { type: 'object' }) },
  },
  page: {
    summary: 'The HTTP interface as pages of the guide',
    answers: { 307: { description: 'The address of the API reference' } },
  },
} as const satisfies Record<string, Operation>;

/** Routes for the documentation of the given routes and of themselves. */
export function documentationRoutes(others: readonly DocumentedRoute[]): readonly Route[] {
  const document = () => openApiDocument([...others, ...own]);
  const openApi = once(() => packJson(JSON.stringify(document())));
  const asyncApi = once(() => packJson(JSON.stringify(asyncApiDocument(version))));
  const own: readonly Route[] = [
    publicPage('/openapi.json', operations.openApi, ({ request, response }) =>
      sendPackedJson(request, response, openApi()),
    ),
    publicPage('/asyncapi.json', operations.asyncApi, ({ request, response }) =>
      sendPackedJson(request, response, asyncApi()),
    ),
    publicPage('/docs', operations.page, ({ response }) => {
      // Relative, so that it also works below a path.
      response.writeHead(307, { location: 'guide/api/', 'content-length': 0 }).end();
    }),
  ];
  return own;
}

/** Creates the document on first use, since most processes never need it. */
function once(make: () => PackedJson): () => PackedJson {
  let made: PackedJson | undefined;
  return () => (made ??= make());
}
