import { cell, code, memberTable, typeText } from './schema-text.mjs';

/** @import { Answer, Content, OpenApi, Operation } from './openapi' */
/** @typedef {Operation & { readonly method: string, readonly path: string }} Route */

/** An example that is longer than this is left out; the document has it. */
const MAXIMUM_EXAMPLE = 4_000;

/**
 * Returns the pages of the API reference: their paths below the root of the guide, titles and Markdown.
 * @param {OpenApi} document
 */
export function apiPages({ tags, paths, components }) {
  /** @type {Route[]} */
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    page: `api/${tag.name.toLowerCase().replaceAll(' ', '-')}.md`,
    routes: routes.filter((route) => route.tags.includes(tag.name)),
  }));
  const operations = groups.map(({ name, description, page, routes: own }) => ({
    page,
    title: name,
    text: [`# ${name}`, description, ...own.map(operationText)].join('\n\n'),
  }));
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    [`## ${name}`, schema.description ?? '', memberTable(schema) || `Type: ${typeText(schema)}`].join('\n\n'),
  );
  const text = ['# Schemas', 'The bodies and records that several operations share.', ...schemas].join(
    '\n\n',
  );
  return [
    { page: 'api/index.md', title: 'All operations', text: indexText(groups) },
    ...operations,
    { page: 'api/schemas.md', title: 'Schemas', text },
  ];
}

/** @param {readonly { name: string, description: string, page: string, routes: readonly Route[] }[]} groups */
function indexText(groups) {
  const lists = groups.flatMap(({ name, description, page, routes }) => [
    `## ${name}`,
    description,
    ['| operation | request |', '| --- | --- |']
      .concat(
        routes.map(
          ({ operationId, summary, method, path }) =>
            `| [${cell(summary)}](/${page}#${operationId.toLowerCase()}) | ${code(`${method} ${path}`)} |`,
        ),
      )
      .join('\n'),
  ]);
  return [
    '# API reference',
    'A key is sent as `x-api-key: sk-…`, or as `Authorization: Bearer sk-…`. A running server has the same as an OpenAPI document at ' +
      '`/openapi.json`, with which programs generate clients, and the messages between its processes at `/asyncapi.json`. ' +
      '[Clients](/use/clients.md) has examples in several languages; [errors](/use/errors.md) lists every code.',
    ...lists,
  ].join('\n\n');
}

/** @param {Route} route */
function operationText(route) {
  const { operationId, summary, method, path, description = '', parameters = [] } = route;
  const body = Object.entries(route.requestBody?.content ?? {});
  const rows = parameters.map(
    ({ name, in: place, required, schema, description: meaning }) =>
      `| ${code(name)}${required ? ', required' : ''} | ${place} | ${typeText(schema)} | ${cell(meaning)} |`,
  );
  return [
    `## ${operationId}`,
    `**${summary}**`,
    fence('http', `${method} ${path}`),
    description,
    rows.length === 0
      ? ''
      : ['| parameter | in | type | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    ...body.flatMap(([type, { schema = {} }]) => [
      `Body, ${code(type)}: ${schema.properties === undefined ? typeText(schema) : 'an object'}`,
      memberTable(schema),
    ]),
    fence('sh', commandOf(route)),
    answerTable(route.responses),
    firstExample(route.responses),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/**
 * Returns a command that sends the request.
 * @param {Route} route
 */
function commandOf({ method, path, security, requestBody }) {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const example = type === 'application/json' ? exampleOf({ [type]: content ?? {} }) : undefined;
  const data =
    example === undefined ? '' : ` \\\n  -d '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$MILLRACE_URL${path}"`,
    security?.length === 0 ? '' : ' -H "x-api-key: $MILLRACE_API_KEY"',
    data === '' ? '' : ` -H 'content-type: application/json'${data}`,
  ].join('');
}

/** @param {Readonly<Record<string, Answer>>} answers */
function answerTable(answers) {
  const rows = Object.entries(answers).map(([status, { description, headers, content = {} }]) => {
    const codes = headers?.['X-Error-Code']?.schema?.enum ?? [];
    const links = codes.map((name) => `[${code(String(name))}](/use/errors.md#${name})`).join(', ');
    const bodies = Object.entries(content).map(
      ([type, { schema = {} }]) =>
        `${code(type)}: ${schema.properties === undefined ? typeText(schema) : 'object'}`,
    );
    return `| ${status} | ${links === '' ? cell(description) : links} | ${bodies.join(', ')} |`;
  });
  return ['| status | answer | body |', '| --- | --- | --- |', ...rows].join('\n');
}

/** @param {Readonly<Record<string, Answer>>} answers */
function firstExample(answers) {
  for (const [status, { content = {} }] of Object.entries(answers)) {
    const example = status.startsWith('2') ? exampleOf(content) : undefined;
    const text = example === undefined ? '' : JSON.stringify(example, null, 2);
    if (text !== '' && text.length <= MAXIMUM_EXAMPLE) return `Answer ${status}:\n\n${fence('json', text)}`;
  }
  return '';
}

/** @param {Content} content */
function exampleOf(content) {
  for (const { examples, example } of Object.values(content)) {
    const [first] = Object.values(examples ?? {});
    if (first !== undefined || example !== undefined) return first?.value ?? example;
  }
  return undefined;
}

/**
 * @param {string} language
 * @param {string} text
 */
function fence(language, text) {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
