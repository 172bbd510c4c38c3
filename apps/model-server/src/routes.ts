import type { IncomingMessage } from 'node:http';
import { anthropic } from './dialects/anthropic';
import type { Dialect } from './dialects/dialect';
import { google } from './dialects/google';
import { openAi } from './dialects/open-ai';
import { googleEmbeddings, openAiEmbeddings } from './embeddings';
import { ModelServerError } from './model-server-error';

const models = ['echo', 'story', 'story-20', 'story-200', 'embedding'];

/** The operation of a request; `dialect` is also used for errors. */
export type Route = { readonly dialect: Dialect } & (
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'list'; readonly answer: object }
  | { readonly kind: 'embed'; readonly embed: (body: unknown) => object }
  | { readonly kind: 'chat' }
  | { readonly kind: 'unknown'; readonly name: string }
);

/** Returns the operation and the protocol of a request. */
export function findRoute({ method, url = '/', headers }: IncomingMessage): Route {
  const path = url.split('?', 1)[0] ?? '/';
  const name = `${method} ${path}`;
  switch (name) {
    case 'GET /healthz':
    case 'GET /counts':
      return { kind: 'open', path, dialect: openAi };
    case 'GET /v1/models':
      return headers['anthropic-version'] === undefined
        ? { kind: 'list', answer: openAiModels(), dialect: openAi }
        : { kind: 'list', answer: anthropicModels(), dialect: anthropic };
    case 'GET /v1beta/models':
      return { kind: 'list', answer: googleModels(), dialect: google('', false) };
    case 'POST /v1/embeddings':
      return { kind: 'embed', embed: openAiEmbeddings, dialect: openAi };
    case 'POST /v1/chat/completions':
      return { kind: 'chat', dialect: openAi };
    case 'POST /v1/messages':
      return { kind: 'chat', dialect: anthropic };
    default:
      return googleRoute(name) ?? { kind: 'unknown', name, dialect: openAi };
  }
}

function googleRoute(name: string): Route | null {
  const [, model = '', method = ''] = /^POST \/v1beta\/models\/([^/:]+):(\w+)$/.exec(name) ?? [];
  switch (method) {
    case 'generateContent':
      return { kind: 'chat', dialect: google(decodeURIComponent(model), false) };
    case 'streamGenerateContent':
      return { kind: 'chat', dialect: google(decodeURIComponent(model), true) };
    case 'embedContent':
    case 'batchEmbedContents':
      return {
        kind: 'embed',
        embed: (body) => googleEmbeddings(body, method),
        dialect: google(model, false),
      };
    default:
      return name.includes(' /v1beta/') ? { kind: 'unknown', name, dialect: google('', false) } : null;
  }
}

/**
 * Throws the protocol's error when a request has another key than this one; without `apiKey` all requests are allowed.
 */
export function checkKey({ headers, url = '/' }: IncomingMessage, { dialect }: Route, apiKey?: string): void {
  const given =
    headers['x-api-key'] ??
    headers['x-goog-api-key'] ??
    headers.authorization?.replace(/^Bearer /, '') ??
    new URL(url, 'http://model').searchParams.get('key');
  if (dialect === anthropic && headers['anthropic-version'] === undefined) {
    throw new ModelServerError(400, 'anthropic-version: header is required');
  }
  if (apiKey === undefined || given === apiKey) return;
  if (dialect === anthropic) throw new ModelServerError(401, 'invalid x-api-key');
  if (dialect === openAi) throw new ModelServerError(401, 'Incorrect API key provided.');
  throw new ModelServerError(400, 'API key not valid. Please pass a valid API key.');
}

function openAiModels(): object {
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'millrace' })),
  };
}

function anthropicModels(): object {
  const data = models.map((id) => ({
    id,
    type: 'model',
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
  }));
  return { data, has_more: false, first_id: models[0], last_id: models.at(-1) };
}

function googleModels(): object {
  return { models: models.map((id) => ({ name: `models/${id}`, displayName: id })) };
}
