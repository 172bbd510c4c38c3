import { asyncApiDocument } from '@millrace/messages';
import { version } from '@millrace/service';
import { publicPage } from '../../http/routing/route';
import type { DocumentedRoute, Route } from '../../http/routing/route';
import { sendJsonText } from '../../http/answers/send-json';
import { documentationPage, PAGE_POLICY } from './documentation-page';
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
    summary: 'The HTTP interface as a reference with search and try-outs',
    answers: { 200: { description: 'A page', content: { 'text/html': { type: 'string' } } } },
  },
} as const satisfies Record<string, Operation>;

/** Routes for the documentation of the given routes and of themselves. */
export function documentationRoutes(others: readonly DocumentedRoute[]): readonly Route[] {
  const document = () => openApiDocument([...others, ...own]);
  const openApi = once(() => JSON.stringify(document()));
  const asyncApi = once(() => JSON.stringify(asyncApiDocument(version)));
  const own: readonly Route[] = [
    publicPage('/openapi.json', operations.openApi, ({ response }) => sendJsonText(response, 200, openApi())),
    publicPage('/asyncapi.json', operations.asyncApi, ({ response }) =>
      sendJsonText(response, 200, asyncApi()),
    ),
    publicPage('/docs', operations.page, ({ response }) => {
      const page = documentationPage(version);
      response.setHeader('content-security-policy', PAGE_POLICY);
      response.setHeader('referrer-policy', 'no-referrer');
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-length': Buffer.byteLength(page),
      });
      response.end(page);
    }),
  ];
  return own;
}

/** Creates the text on first use, since most processes never need it. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}
