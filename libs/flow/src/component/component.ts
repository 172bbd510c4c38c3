import type { PythonValue } from '@millrace/python-text';
import type { ComponentContext } from './component-context';
import type { Input, InputValues } from './input';
import type { CodePolicy } from '../code/code-policy';
import type { PythonPolicy } from '../python/python-policy';

export interface Output {
  /** Langflow's names of the types of this output: Message, Data, DataFrame, LanguageModel, … */
  readonly types: readonly string[];
  readonly displayName?: string;
  /** True for the item output of a loop, which emits one value at a time and to which an edge leads back. */
  readonly loops?: true;
  /** The tool name of this output for a language model; the output's name by default. */
  readonly method?: string;
  /**
   * False for an output that is never a tool; `named` for one that is a tool only if the node's table of tools names
   * it.
   */
  readonly tool?: false | 'named';
  /** The words before an error that this output answers as a tool; without them the call fails. */
  readonly toolError?: string;
}

/** A component: the type of a vertex, with its inputs, its outputs and its implementation. */
export interface Component<
  Inputs extends Readonly<Record<string, Input<unknown>>> = Readonly<Record<string, Input<unknown>>>,
> {
  /** The registered type: `data.type` of a node. */
  readonly type: string;
  /** Older or alternative types of the same component. */
  readonly aliases?: readonly string[];
  readonly displayName: string;
  /** The names of types that Langflow calls otherwise, as messages and their sources show them. */
  readonly typeNames?: Readonly<Record<string, string>>;
  readonly description: string;
  readonly inputs: Inputs;
  readonly outputs: Readonly<Record<string, Output>>;
  /** True when the same inputs give the same outputs and there is no effect outside the run. */
  readonly deterministic: boolean;
  /**
   * For a component that is not deterministic: it only calls a model or reads the session, and changes nothing. The
   * flow's author can allow that its result is reused.
   */
  readonly reusable?: true;
  /** Accepts a message whose text is still streaming; other components receive it when it is complete. */
  readonly takesStreams?: boolean;
  /** True when the branches that it stops are named at each later vertex of the run, too, as Langflow does. */
  readonly excludesBranches?: boolean;
  /**
   * The component, or a flow that it runs, can store messages: a vertex that reads messages waits for such vertices of
   * earlier layers.
   */
  readonly storesMessages?: true;
  /** The component can read the messages of a session, which another caller may have sent. No other component can. */
  readonly readsSession?: true;
  /** The component can suspend its run until a person has answered, if one of its outputs is connected. */
  readonly asksHuman?: true;
  /** The component asks a person before it calls a tool whose author wants that, or passes it only to those that do. */
  readonly approvesTools?: true;
  /** The component runs the flow that these fields name; the first one that is not empty counts. */
  readonly flowFields?: readonly string[];
  /** Declares an implicit edge: the component receives outputs of other vertices without a drawn edge. */
  readonly implicitEdge?: ImplicitEdge;
  /** The component stops some of its outputs, so that a cycle through it can end. */
  readonly routes?: true;
  /** How the component differs from Langflow's, as a sentence for the report of a flow. */
  readonly approximates?: string;
  /**
   * Returns the name of the variable that holds the API key for the node's selection, when neither a field nor an edge
   * provides one; null when no key is needed. Used by the report of a flow, which already includes inputs that are
   * secrets.
   */
  readonly keyVariable?: (saved: SavedFields) => string | null;
  /** Returns the outputs for which `context.wants(name)` is true; others can be omitted. */
  run(inputs: InputValues<Inputs>, context: ComponentContext): ComponentOutputs | Promise<ComponentOutputs>;
}

/** The saved fields of a node. */
export interface SavedFields {
  /** Values by field name, for fields that a run would read; connected ones are omitted. */
  readonly values: Readonly<Record<string, PythonValue>>;
  readonly connected: ReadonlySet<string>;
}

/**
 * Connects `output` of all vertices of `type` to `input`, as edges would, where `field` has the same saved value in
 * both.
 */
export interface ImplicitEdge {
  readonly type: string;
  readonly output: string;
  readonly input: string;
  readonly field: string;
}

export type ComponentOutputs = Readonly<Record<string, PythonValue>>;

/** Returns the given component, typed by its inputs. */
export function defineComponent<const Inputs extends Readonly<Record<string, Input<unknown>>>>(
  component: Component<Inputs>,
): Component {
  return component as unknown as Component;
}

/** All available components, by type and by alias. */
export interface ComponentRegistry {
  find(type: string): Component | undefined;
  /** Returns why a Langflow type is not implemented and what to use instead, as the end of a sentence. */
  missingReason?(type: string): string | undefined;
  readonly all: readonly Component[];
  /** How the source code in nodes is handled; {@link defaultCodePolicy} by default. */
  readonly codePolicy?: CodePolicy;
  /** How vertices without a native component are handled; {@link noPython} by default. */
  readonly python?: PythonPolicy;
}
