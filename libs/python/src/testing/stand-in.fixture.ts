import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMember, member, isJsonObject, textListMember, textMember } from './saved-json.fixture';

/** Expressions that give a value of a type which a saved output names; the first type that an output names counts. */
const values: readonly (readonly [string, string])[] = [
  ['Tool', 'self._tool()'],
  ['Message', 'Message(text=self._text())'],
  ['Text', 'self._text()'],
  ['str', 'self._text()'],
  ['DataFrame', 'DataFrame([self._record()])'],
  ['Table', 'DataFrame([self._record()])'],
  ['Data', 'Data(data=self._record())'],
  ['JSON', 'Data(data=self._record())'],
  ['LanguageModel', 'self._given(BaseLanguageModel, StandInModel())'],
  ['BaseLanguageModel', 'self._given(BaseLanguageModel, StandInModel())'],
  ['Embeddings', 'self._given(Embeddings, DeterministicFakeEmbedding(size=32))'],
  ['VectorStore', 'self._store()'],
  ['Retriever', 'self._store().as_retriever()'],
  ['Memory', 'self._given(BaseChatMessageHistory, InMemoryChatMessageHistory())'],
  ['BaseChatMemory', 'self._given(BaseChatMessageHistory, InMemoryChatMessageHistory())'],
  ['Runnable', 'RunnableLambda(str)'],
];

const head = readFileSync(join(__dirname, 'stand-in-head.py'), 'utf8');

/** The output of a node that was saved as a tool: its own outputs are not in the file. */
const toolResult = { name: 'result', method: 'result', types: ['Message'] };

/** What the vertices after a node read in its outputs. */
export interface ReadAfter {
  /** The keys of records. */
  readonly keys: readonly string[];
  /** They parse texts as JSON. */
  readonly parsesJson: boolean;
}

/**
 * Returns the text of a component with the inputs and outputs of a saved node, for a node whose own text is not in its
 * file. Each output gives a value of its first known type, with the fields that are set. Records have `text` and the
 * keys; texts are JSON of a record where that is what the vertices after the node parse.
 */
export function standInText(
  node: unknown,
  { keys, parsesJson }: ReadAfter = { keys: [], parsesJson: false },
): string {
  const template = member(node, 'template');
  const fields = isJsonObject(template)
    ? Object.entries(template).filter(
        ([name, field]) => isJsonObject(field) && name !== 'code' && !name.startsWith('_'),
      )
    : [];
  const own = listMember(node, 'outputs').filter((output) => textMember(output, 'method') !== 'to_toolkit');
  const outputs = own.length > 0 ? own : [toolResult];
  const methods = new Map(
    outputs.map((output) => [methodOf(output), valueOf(textListMember(output, 'types'))]),
  );
  return [
    `${head}class StandIn(StandInBase, Component):`,
    '    display_name = "Stand-in"',
    `    inputs = [${fields.map(([name, field]) => inputOf(name, field)).join(', ')}]`,
    `    outputs = [${outputs.map(outputOf).join(', ')}]`,
    `    field_names = ${JSON.stringify(fields.map(([name]) => name))}`,
    `    keys = ${JSON.stringify(keys)}`,
    `    says_json = ${parsesJson ? 'True' : 'False'}`,
    ...[...methods].flatMap(([method, value]) => ['', `    def ${method}(self):`, `        return ${value}`]),
    '',
  ].join('\n');
}

function methodOf(output: unknown): string {
  const method = textMember(output, 'method');
  return /^[a-z_]\w*$/i.test(method) ? method : 'build';
}

function valueOf(types: readonly string[]): string {
  return values.find(([type]) => types.includes(type))?.[1] ?? 'self._text()';
}

/** The class of the saved input; a node from before 1.0 has only types. */
function inputOf(name: string, field: unknown): string {
  const saved = textMember(field, '_input_type');
  const kind = saved !== '' ? saved : (classes[textMember(field, 'type')] ?? 'HandleInput');
  const known = Object.entries(namedLists).flatMap(([option, kinds]) => {
    const list = textListMember(field, option);
    return list.length > 0 && kinds.includes(kind) ? [`${option}=${JSON.stringify(list)}`] : [];
  });
  const list = member(field, 'list') === true ? ['is_list=True'] : [];
  const tool = member(field, 'tool_mode') === true ? ['tool_mode=True'] : [];
  return `kinds.${kind}(${[`name=${JSON.stringify(name)}`, ...known, ...list, ...tool].join(', ')})`;
}

/** The lists of a field that some classes of inputs take. */
const namedLists: Readonly<Record<string, readonly string[]>> = {
  input_types: ['HandleInput'],
  options: ['DropdownInput', 'MultiselectInput', 'TabInput'],
};

const classes: Readonly<Record<string, string>> = {
  str: 'StrInput',
  prompt: 'PromptInput',
  NestedDict: 'NestedDictInput',
  int: 'IntInput',
  float: 'FloatInput',
  bool: 'BoolInput',
  dict: 'DictInput',
  file: 'FileInput',
};

function outputOf(output: unknown): string {
  const types = textListMember(output, 'types');
  const name = textMember(output, 'name');
  return `Output(name=${JSON.stringify(name)}, display_name=${JSON.stringify(name)}, method=${JSON.stringify(methodOf(output))}, types=${JSON.stringify(types)})`;
}
