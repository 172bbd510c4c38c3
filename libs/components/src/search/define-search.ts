import { componentTools, defineComponent } from '@millrace/flow';
import type {
  Component,
  ComponentContext,
  ComponentOutputs,
  Input,
  InputValues,
  Output,
} from '@millrace/flow';
import { Data, DataFrame, Message, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { errorsAsData } from '../integrations/http/errors-as-data';

type Inputs = Readonly<Record<string, Input<unknown>>>;

export interface Search<Fields extends Inputs> {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly typeNames?: Readonly<Record<string, string>>;
  readonly approximates?: string;
  readonly inputs: Fields;
  /** The name and the method of the table output; `dataframe` unless given. */
  readonly table?: { readonly name: string; readonly method: string };
  /** The tool's name for a model, in files where the tool is a separate output. */
  readonly toolName: string;
  /** Names of that output. */
  readonly toolOutputs?: readonly string[];
  /** What the outputs have in place of results when the service fails; the component fails unless given. */
  readonly resultsOf?: (error: string) => readonly Data[];
  /** Returns the error that a row has in place of results, and null when the service is to be asked. */
  readonly errorBefore?: (inputs: InputValues<Fields>) => string | null;
  /** Returns the results, best first. */
  find(inputs: InputValues<Fields>, context: ComponentContext): Promise<readonly Data[]>;
}

const defaultTable = { name: 'dataframe', method: 'fetch_content_dataframe' };
const legacyOutputs: Readonly<Record<string, Output>> = {
  data: {
    types: ['Data', 'JSON'],
    displayName: 'Data of earlier versions',
    method: 'fetch_content',
    tool: 'named',
  },
  text: {
    types: ['Message'],
    displayName: 'Text of earlier versions',
    method: 'fetch_content_text',
    tool: 'named',
  },
  api_run_model: { types: ['Data', 'JSON'], displayName: 'Data of earlier versions', tool: false },
};

/**
 * Defines a component that searches a service and returns a table of results. Under the output names of earlier
 * versions it also returns lists of data, a text, and itself as a tool.
 */
export function defineSearch<const Fields extends Inputs>(search: Search<Fields>): Component {
  const { find, resultsOf, errorBefore, toolName, toolOutputs = ['api_build_tool'], ...rest } = search;
  const { table = defaultTable, ...described } = rest;
  const findOrError = (inputs: InputValues<Fields>, context: ComponentContext) =>
    resultsOf === undefined ? find(inputs, context) : errorsAsData(() => find(inputs, context), resultsOf);
  const findOutputs = async (
    inputs: InputValues<Fields>,
    context: ComponentContext,
  ): Promise<ComponentOutputs> => {
    const error = errorBefore?.(inputs) ?? null;
    if (error !== null) return foundOutputs(table.name, [new Data({ error })], error, context);
    const found = await findOrError(inputs, context);
    return foundOutputs(table.name, found, found, context);
  };
  const foundNames = [table.name, ...Object.keys(legacyOutputs)];
  const tools = toolOutputs.map((name): [string, Output] => [
    name,
    { types: ['Tool'], displayName: 'Tool of earlier versions', tool: false },
  ]);
  const component: Component = defineComponent({
    ...described,
    outputs: {
      [table.name]: { types: ['DataFrame', 'Table'], displayName: 'Table', method: table.method },
      ...legacyOutputs,
      ...Object.fromEntries(tools),
    },
    deterministic: false,
    run: async (inputs, context) => ({
      ...toolsOf(component, { toolName, toolOutputs }, inputs, context),
      ...(foundNames.some((name) => context.wants(name)) ? await findOutputs(inputs, context) : {}),
    }),
  });
  return component;
}

function toolsOf(
  component: Component,
  { toolName, toolOutputs }: { readonly toolName: string; readonly toolOutputs: readonly string[] },
  inputs: Readonly<Record<string, unknown>>,
  context: ComponentContext,
): ComponentOutputs {
  const wanted = toolOutputs.filter((name) => context.wants(name));
  if (wanted.length === 0) return {};
  const [tool] = componentTools(component, { inputs, connected: new Set(), table: null, context });
  return tool === undefined
    ? {}
    : Object.fromEntries(wanted.map((name) => [name, { ...tool, name: toolName }]));
}

function foundOutputs(
  table: string,
  found: readonly Data[],
  status: PythonValue,
  context: ComponentContext,
): ComponentOutputs {
  context.status(status);
  return {
    [table]: new DataFrame(found.map(({ data }) => data)),
    data: found,
    text: new Message({ text: found.map((item) => str(item.text)).join('\n') }),
    api_run_model: found,
  };
}
