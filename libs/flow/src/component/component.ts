import type { ComponentContext } from './component-context';
import type { Input, InputValues } from './input';
import type { CodePolicy } from '../plan/code-policy';
import type { PythonValue } from '../values/python-value';

export interface Output {
  /** Langflow's names of the types that leave here: Message, Data, DataFrame, LanguageModel, … */
  readonly types: readonly string[];
  readonly displayName?: string;
  /** True for the output of a loop whose values come one at a time, and come back over a wire into this output. */
  readonly loops?: true;
  /** What a language model that uses the component as a tool calls this output; the output's name unless given. */
  readonly method?: string;
  /** False for an output that is never a tool; `named` for one that only nodes whose table of tools names it offer. */
  readonly tool?: false | 'named';
}

/** A kind of box, as a value. */
export interface Component<
  Inputs extends Readonly<Record<string, Input<unknown>>> = Readonly<Record<string, Input<unknown>>>,
> {
  /** The registered name: `data.type` of a node. */
  readonly type: string;
  /** Older or other names of the same component. */
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly inputs: Inputs;
  readonly outputs: Readonly<Record<string, Output>>;
  /** Same inputs, same outputs, and no effect outside the run. */
  readonly deterministic: boolean;
  /**
   * For one that is not: it only asks a model, or reads the session, and changes nothing. An author may allow that the
   * answer is given again.
   */
  readonly reusable?: true;
  /** Takes a message whose text is still being made; others get it when it is whole. */
  readonly takesStreams?: boolean;
  /** May store messages, or run flows that do: a vertex that reads them waits for those of earlier layers. */
  readonly storesMessages?: true;
  /** Gets what others give without a wire. */
  readonly hears?: Hearing;
  /** Stops all but some of its outputs: a cycle that leads through it can end. */
  readonly routes?: true;
  /** What differs from Langflow's component for those who look closely, as a sentence; the report of a flow tells it. */
  readonly approximates?: string;
  /**
   * The variable with the key of what a node chooses in its fields, where neither they nor a wire bring one; null when
   * none is needed. For the report of a flow, which knows of the inputs that are secrets by itself.
   */
  readonly keyVariable?: (saved: SavedFields) => string | null;
  /** Gives the outputs `context.wants(name)` asks for; others may be left out. */
  run(inputs: InputValues<Inputs>, context: ComponentContext): ComponentOutputs | Promise<ComponentOutputs>;
}

/** What the fields of a node hold before a run. */
export interface SavedFields {
  /** By field, as far as it holds something that a run would read; wired ones left out. */
  readonly values: Readonly<Record<string, PythonValue>>;
  readonly wired: ReadonlySet<string>;
}

/** An output of all vertices of a type comes to an input, as over wires, where a saved field says the same in both. */
export interface Hearing {
  readonly type: string;
  readonly output: string;
  readonly input: string;
  readonly field: string;
}

export type ComponentOutputs = Readonly<Record<string, PythonValue>>;

/** Types a component from its inputs; the value is what it was given. */
export function defineComponent<const Inputs extends Readonly<Record<string, Input<unknown>>>>(
  component: Component<Inputs>,
): Component {
  return component as unknown as Component;
}

/** All components a flow may use, by type and by alias. */
export interface ComponentRegistry {
  find(type: string): Component | undefined;
  /** Why there is no component of a type that Langflow has, and what to use instead: the end of a sentence. */
  whyMissing?(type: string): string | undefined;
  readonly all: readonly Component[];
  /** How the code that nodes carry is judged; {@link defaultCodePolicy} unless given. */
  readonly codePolicy?: CodePolicy;
}
