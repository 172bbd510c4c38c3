import Ajv from 'ajv/dist/2020';
import type { AnySchema, ValidateFunction } from 'ajv/dist/2020';
import type { OpenApiDocument, OpenApiResponse } from '../openapi/openapi-document';
import { uuidFormat } from './uuid-format';

export interface SeenAnswer {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly errorCode: string | null;
  readonly text: string;
}

/** Errors of paths and methods without a route. */
const UNMATCHED: Readonly<Record<number, string | null>> = {
  307: null,
  404: 'route_unknown',
  405: 'method_not_allowed',
};

/** Checks answers against the OpenAPI document. */
export class AnswerContract {
  readonly #document: OpenApiDocument;
  readonly #paths: readonly { readonly template: string; readonly pattern: RegExp }[];
  readonly #ajv = new Ajv({
    strict: false,
    allErrors: false,
    logger: false,
    // The document is not a schema itself; compiling the schema of schemas takes longer than most tests.
    validateSchema: false,
  });
  /** By the text of the schema: most answers with an error have the same one. */
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addFormat('uuid', uuidFormat);
    // Without the paths, which take long to search for references.
    this.#ajv.addSchema({ $id: 'document', components: document.components });
    this.#paths = Object.keys(document.paths)
      .map((template) => ({ template, pattern: patternOf(template) }))
      // A path with a literal segment comes before one with a parameter in the same place.
      .sort((left, right) => variables(left.template) - variables(right.template));
  }

  /** Returns how an answer deviates from the document, or null. */
  deviation(answer: SeenAnswer): string | null {
    const { method, path, status } = answer;
    const reason = this.#reason(answer);
    return reason === null
      ? null
      : `${method} ${path} answered ${status}: ${reason}: ${answer.text.slice(0, 500)}`;
  }

  #reason(answer: SeenAnswer): string | null {
    const { method, path, status, errorCode } = answer;
    const [pathname = ''] = path.split('?');
    // A CORS preflight request concerns the server, not a route.
    if (method === 'OPTIONS') return null;
    // Refused before the route was matched.
    if (errorCode === 'undecodable_url') return null;
    const template = this.#paths.find(
      (known) => known.pattern.test(pathname) && this.#operation(known.template, method),
    )?.template;
    if (template === undefined) {
      return status in UNMATCHED && errorCode === UNMATCHED[status] ? null : 'no route matches';
    }
    const response = this.#operation(template, method)?.responses[status];
    if (!response) return 'the status is not documented';
    const codes = codesOf(response);
    if (errorCode !== null && !codes.includes(errorCode)) return `the code ${errorCode} is not documented`;
    return this.#bodyDeviation(answer, response);
  }

  #bodyDeviation({ method, contentType, text }: SeenAnswer, { content }: OpenApiResponse): string | null {
    if (!content) return text === '' ? null : 'the answer has a body that is not documented';
    const [type = ''] = (contentType ?? '').split(';');
    const described = content[type];
    if (!described) return `the content type ${type} is not documented`;
    if (method === 'HEAD') return null;
    if (type === 'text/event-stream') {
      if (!('x-event-schema' in described)) return null;
      const check = this.#check(described['x-event-schema']);
      return (
        eventsOf(text)
          .map((event) => deviationOf(check, event))
          .find((deviation) => deviation !== null) ?? null
      );
    }
    if (type !== 'application/json') return null;
    return deviationOf(this.#check(described.schema), text);
  }

  #operation(template: string, method: string) {
    return this.#document.paths[template]?.[this.#verb(template, method)];
  }

  /** Returns the operation's name in the document. Without one of its own, HEAD is answered as GET, without the body. */
  #verb(template: string, method: string): string {
    const verb = method.toLowerCase();
    return verb === 'head' && !this.#document.paths[template]?.[verb] ? 'get' : verb;
  }

  #check(schema: unknown): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    let check = this.#checks.get(text);
    if (!check) {
      check = this.#ajv.compile(JSON.parse(text) as AnySchema);
      this.#checks.set(text, check);
    }
    return check;
  }
}

function deviationOf(check: ValidateFunction, text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'the body is not JSON';
  }
  if (check(value)) return null;
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
}

/** Returns each event as JSON, in either framing. Ignores comments and incomplete events. */
function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => (block.startsWith('{') ? block : serverSentEvent(block)))
    .filter((event) => event !== '');
}

/** Converts a server-sent event to Langflow's framing. */
function serverSentEvent(block: string): string {
  const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
  const data = fields.get('data');
  return data === undefined ? '' : `{"event": ${JSON.stringify(fields.get('event'))}, "data": ${data}}`;
}

function codesOf({ headers }: OpenApiResponse): readonly string[] {
  const header = headers?.['X-Error-Code'] as
    { readonly schema: { readonly enum: readonly string[] } } | undefined;
  return header?.schema.enum ?? [];
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function variables(template: string): number {
  return template.split('{').length;
}
