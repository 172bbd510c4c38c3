import type { ChatRequest } from '../chat-request';
import { isObject } from '../json-object';
import type { JsonObject } from '../json-object';
import type { ToolOffer } from '../offered-tools';
import { plainSchema } from './plain-schema';
import { countOf, listOf, objectWith, refuse, textOf } from './refuse';

const members =
  'contents systemInstruction generationConfig tools toolConfig safetySettings cachedContent model'.split(
    ' ',
  );
const settings =
  'temperature topP topK seed maxOutputTokens candidateCount stopSequences presencePenalty frequencyPenalty responseMimeType responseSchema responseJsonSchema thinkingConfig'.split(
    ' ',
  );
const partKinds = 'text inlineData fileData functionCall functionResponse'.split(' ');

interface Content {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly string[];
  readonly results: readonly { readonly name: string; readonly text: string }[];
}

/** Reads a body as the Gemini API does; throws ModelServerError 400 for what that API refuses. */
export function readGoogleRequest(body: unknown, model: string, stream: boolean): ChatRequest {
  const request = objectWith(body, 'body', members);
  const contents = listOf(request['contents'], 'contents').map((content, index) =>
    readContent(content, `contents[${index}]`),
  );
  if (contents.length === 0) refuse('contents: is not specified.');
  checkCalls(contents);
  const system = request['systemInstruction'];
  const config = objectWith(request['generationConfig'] ?? {}, 'generationConfig', settings);
  const asked = contents.findLastIndex(({ role, text }) => role === 'user' && text !== '');
  return {
    model,
    texts: [
      ...(system === undefined ? [] : [readContent(system, 'systemInstruction').text]),
      ...contents.map(({ text }) => text),
    ],
    lastUserText: contents[asked]?.text ?? '',
    offer: readOffer(request),
    callsMade: contents.slice(asked + 1).filter(({ calls }) => calls.length > 0).length,
    toolResults: (contents.at(-1)?.results ?? []).map(({ text }) => text),
    answerSchema: readSchema(config),
    stream,
    includeUsage: true,
    maximumTokens:
      config['maxOutputTokens'] === undefined
        ? undefined
        : countOf(config['maxOutputTokens'], 'generationConfig.maxOutputTokens'),
  };
}

function readContent(content: unknown, where: string): Content {
  const { role = 'user', parts } = objectWith(content, where, ['role', 'parts']);
  if (role !== 'user' && role !== 'model') refuse(`${where}.role: Please use a valid role: user, model.`);
  const read = listOf(parts, `${where}.parts`).map((part, index) =>
    readPart(part, `${where}.parts[${index}]`),
  );
  if (read.length === 0) refuse(`${where}.parts: must not be empty.`);
  return {
    role,
    text: read.map(({ text }) => text ?? '').join(''),
    calls: read.flatMap(({ call }) => call ?? []),
    results: read.flatMap(({ result }) => result ?? []),
  };
}

interface Part {
  readonly text?: string;
  readonly call?: string;
  readonly result?: { readonly name: string; readonly text: string };
}

function readPart(value: unknown, where: string): Part {
  const part = objectWith(value, where, [...partKinds, 'thought', 'thoughtSignature']);
  const kinds = partKinds.filter((kind) => part[kind] !== undefined);
  if (kinds.length !== 1) refuse(`${where}.data: required oneof field must have one initialized field.`);
  const { text, inlineData, functionCall, functionResponse } = part;
  if (text !== undefined)
    return typeof text === 'string' ? { text } : refuse(`${where}.text: must be a string.`);
  if (inlineData !== undefined) {
    const { mimeType, data } = objectWith(inlineData, `${where}.inlineData`, ['mimeType', 'data']);
    textOf(mimeType, `${where}.inlineData.mimeType`);
    textOf(data, `${where}.inlineData.data`);
    return {};
  }
  if (functionCall !== undefined) {
    const { name } = objectWith(functionCall, `${where}.functionCall`, ['id', 'name', 'args']);
    return { call: textOf(name, `${where}.functionCall.name`) };
  }
  if (functionResponse === undefined) return {};
  const given = objectWith(functionResponse, `${where}.functionResponse`, ['id', 'name', 'response']);
  const { response } = given;
  if (!isObject(response)) refuse(`${where}.functionResponse.response: must be an object.`);
  const output = response['result'] ?? response['output'] ?? response;
  return {
    result: {
      name: textOf(given['name'], `${where}.functionResponse.name`),
      text: typeof output === 'string' ? output : JSON.stringify(output),
    },
  };
}

/** Checks that the turn after function calls contains one response for each call. */
function checkCalls(contents: readonly Content[]): void {
  let open: readonly string[] = [];
  for (const { calls, results } of contents) {
    const answered = results.map(({ name }) => name);
    if ([...answered].sort().join() !== [...open].sort().join()) {
      refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    }
    open = calls;
  }
  if (open.length > 0) refuse('Please ensure that function call turn comes before a function response turn.');
}

function readOffer(request: JsonObject): ToolOffer {
  const tools = listOf(request['tools'], 'tools').flatMap((tool, index) => {
    const where = `tools[${index}].functionDeclarations`;
    return listOf(
      objectWith(tool, `tools[${index}]`, ['functionDeclarations'])['functionDeclarations'],
      where,
    ).map((declaration, at) => readDeclaration(declaration, `${where}[${at}]`));
  });
  const config = objectWith(request['toolConfig'] ?? {}, 'toolConfig', ['functionCallingConfig']);
  const { mode = 'AUTO', allowedFunctionNames } = objectWith(
    config['functionCallingConfig'] ?? {},
    'toolConfig.functionCallingConfig',
    ['mode', 'allowedFunctionNames'],
  );
  if (mode === 'NONE') return { tools, choice: 'none' };
  if (mode === 'AUTO') return { tools, choice: 'auto' };
  if (mode !== 'ANY' || tools.length === 0)
    refuse('toolConfig: Function calling config is set without functions.');
  const [name] = listOf(allowedFunctionNames, 'toolConfig.functionCallingConfig.allowedFunctionNames');
  if (name === undefined) return { tools, choice: 'required' };
  const chosen = tools.find((tool) => tool.name === name);
  return chosen === undefined
    ? refuse('toolConfig: allowedFunctionNames must be names of declared functions.')
    : { tools, choice: { name: chosen.name } };
}

function readDeclaration(declaration: unknown, where: string) {
  const read = objectWith(declaration, where, [
    'name',
    'description',
    'parameters',
    'parametersJsonSchema',
    'response',
    'behavior',
  ]);
  const name = textOf(read['name'], `${where}.name`);
  if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)) refuse(`${where}.name: Invalid function name.`);
  const { parameters, parametersJsonSchema } = read;
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    refuse(`${where}: parameters and parametersJsonSchema are mutually exclusive.`);
  }
  const schema = plainSchema(parameters ?? parametersJsonSchema ?? { type: 'object', properties: {} });
  if (!isObject(schema) || schema['type'] !== 'object')
    refuse(`${where}.parameters: must be the schema of an object.`);
  return { name, parameters: schema };
}

function readSchema(config: JsonObject): JsonObject | null {
  const { responseMimeType, responseSchema, responseJsonSchema } = config;
  const schema = responseSchema ?? responseJsonSchema;
  if (schema !== undefined && responseMimeType !== 'application/json') {
    refuse('generationConfig: a response schema needs the response mime type application/json.');
  }
  if (responseMimeType !== 'application/json') return null;
  const plain = plainSchema(schema ?? { type: 'object', properties: { answer: { type: 'string' } } });
  return isObject(plain) ? plain : refuse('generationConfig.responseSchema: must be an object.');
}
