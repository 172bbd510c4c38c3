import { homeSchema } from './home-schema';
import { version } from '@millrace/service';
import { homePage, HOME_STYLE } from './home-page';
import { acceptsHtml } from '../../console/console-files';
import type { ConsoleFiles } from '../../console/console-files';
import { baseUrlOf } from '../../http/base-url';
import { publicPage } from '../../http/routing/route';
import type { Call, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { sendPage } from '../../http/answers/send-page';
import type { Operation } from '../../http/routing/operation';

export interface HomeRoutesOptions {
  /** Base URL at which callers reach the gateway; taken from each request when unset. */
  readonly publicUrl: string | undefined;
  /** The web console, which browsers get instead of the page. */
  readonly consoleFiles: ConsoleFiles | null;
}

const operation: Operation = {
  summary: 'Describe the server and link to its documentation',
  headers: { Accept: '`application/json` without `text/html` selects JSON instead of the page' },
  answers: {
    200: {
      description: 'The web console or the page, or the same as JSON',
      content: { 'text/html': { type: 'string' }, 'application/json': homeSchema },
    },
  },
};

/** A name or an address with an optional port, which is safe in commands that users paste into a shell. */
const PLAIN_HOST = /^https?:\/\/[\w.:[\]-]+$/;
const STANDARD_URL = 'http://127.0.0.1:7860';

/** Route for the page at `/`. */
export function homeRoutes({ publicUrl, consoleFiles }: HomeRoutesOptions): readonly Route[] {
  const urlFor = ({ request }: Call): string => {
    if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
    const url = baseUrlOf(request);
    return PLAIN_HOST.test(url) ? url : STANDARD_URL;
  };
  return [
    publicPage('/', operation, (call) => {
      const { request, response } = call;
      if (consoleFiles !== null && acceptsHtml(request)) return consoleFiles.sendPage(request, response);
      response.appendHeader('vary', 'Accept');
      response.setHeader('cache-control', 'no-cache');
      if (asksForJson(request.headers.accept)) sendJson(response, 200, home(urlFor(call)));
      else sendPage(response, homePage(urlFor(call)), { style: HOME_STYLE });
    }),
  ];
}

function home(url: string): Record<string, string> {
  return {
    name: 'Millrace',
    version,
    health: `${url}/health`,
    readiness: `${url}/readyz`,
    documentation: `${url}/docs`,
    openapi: `${url}/openapi.json`,
  };
}

function asksForJson(accept = ''): boolean {
  return accept.includes('application/json') && !accept.includes('text/html');
}
