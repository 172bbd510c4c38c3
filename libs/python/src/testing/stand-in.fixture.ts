import { listMember, member, isJsonObject, textListMember, textMember } from './saved-json.fixture';

/** Expressions that give a value of a type which a saved output names. */
const values: readonly (readonly [string, string])[] = [
  ['Message', 'Message(text=self._said())'],
  ['Text', 'self._said()'],
  ['str', 'self._said()'],
  ['DataFrame', 'DataFrame([{"text": self._said()}])'],
  ['Table', 'DataFrame([{"text": self._said()}])'],
  ['Data', 'Data(data={"text": self._said()})'],
  ['JSON', 'Data(data={"text": self._said()})'],
  ['LanguageModel', 'StandInModel(responses=["an answer"])'],
  ['BaseLanguageModel', 'StandInModel(responses=["an answer"])'],
  ['Embeddings', 'DeterministicFakeEmbedding(size=32)'],
  ['VectorStore', 'InMemoryVectorStore(DeterministicFakeEmbedding(size=32))'],
  ['Retriever', 'InMemoryVectorStore(DeterministicFakeEmbedding(size=32)).as_retriever()'],
  ['Memory', 'InMemoryChatMessageHistory()'],
  ['BaseChatMemory', 'InMemoryChatMessageHistory()'],
  ['Runnable', 'RunnableLambda(str)'],
];

const imports = `from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool
from langchain_core.vectorstores import InMemoryVectorStore
from langflow.custom import Component
from langflow.io import Output
from langflow.inputs import inputs as kinds
from langflow.schema import Data, DataFrame
from langflow.schema.message import Message


class StandInModel(FakeListChatModel):
    def bind_tools(self, tools, **options):
        return self

`;

/**
 * Returns the text of a component with the inputs and outputs of a saved node, for a node whose own text is not in its
 * file. Each output gives a value of its first known type, with the fields that are set.
 */
export function standInText(node: unknown): string {
  const template = member(node, 'template');
  const fields = isJsonObject(template)
    ? Object.entries(template).filter(
        ([name, field]) => isJsonObject(field) && name !== 'code' && !name.startsWith('_'),
      )
    : [];
  const outputs = listMember(node, 'outputs').filter(
    (output) => textMember(output, 'method') !== 'to_toolkit',
  );
  const methods = new Map(
    outputs.map((output) => [methodOf(output), valueOf(textListMember(output, 'types'))]),
  );
  return [
    imports,
    '',
    'class StandIn(Component):',
    '    display_name = "Stand-in"',
    `    inputs = [${fields.map(([name, field]) => inputOf(name, field)).join(', ')}]`,
    `    outputs = [${outputs.map(outputOf).join(', ')}]`,
    '',
    '    def _said(self):',
    `        names = ${JSON.stringify(fields.map(([name]) => name))}`,
    '        return " ".join(str(getattr(self, name, ""))[:200] for name in names if getattr(self, name, None))[:2000]',
    ...[...methods].flatMap(([method, value]) => ['', `    def ${method}(self):`, `        return ${value}`]),
    '',
  ].join('\n');
}

function methodOf(output: unknown): string {
  const method = textMember(output, 'method');
  return /^[a-z_]\w*$/i.test(method) ? method : 'build';
}

function valueOf(types: readonly string[]): string {
  if (types.includes('Tool')) {
    return 'StructuredTool.from_function(func=lambda text="": self._said(), name="stand_in", description="Answers.")';
  }
  return values.find(([type]) => types.includes(type))?.[1] ?? 'self._said()';
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
  return `kinds.${kind}(${[`name=${JSON.stringify(name)}`, ...known, ...list].join(', ')})`;
}

/** The lists of a field that some classes of inputs take. */
const namedLists: Readonly<Record<string, readonly string[]>> = {
  input_types: ['HandleInput'],
  options: ['DropdownInput', 'MultiselectInput', 'TabInput'],
};

const classes: Readonly<Record<string, string>> = {
  str: 'StrInput',
  prompt: 'PromptInput',
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
