/** One setting: its default, and the parser of its text. */
export interface Setting<Value> {
  readonly kind: string;
  readonly description: string;
  /** Never shown in logs, faults or tables. */
  readonly secret: boolean;
  readonly required: boolean;
  /** Few installations need another value; the setting is on a page of its own. */
  readonly unusual: boolean;
  /** Names that the setting had in earlier releases; they are still read. */
  readonly formerly: readonly string[];
  /** The default as text for the table; undefined when there is none. */
  readonly defaultText: string | undefined;
  /** The value when the environment does not set it. */
  readonly absent: Value | undefined;
  /** Throws an Error whose message ends the sentence "PORT …". */
  readonly parse: (text: string) => Value;
}

export type SettingsDefinition = Readonly<Record<string, Setting<unknown>>>;

/** The values of a definition, by name. */
export type SettingsValues<Definition extends SettingsDefinition> = {
  readonly [Name in keyof Definition]: Definition[Name] extends Setting<infer Value> ? Value : never;
};

/** Options of every kind; a setting with neither `default` nor `optional` is required. */
export interface SettingOptions<Value> {
  readonly description: string;
  readonly default?: Value;
  readonly optional?: true;
  readonly secret?: true;
  readonly unusual?: true;
  readonly formerly?: readonly string[];
}

/** The value of an optional setting without a default can be undefined. */
export type SettingOf<Value, Options> = Setting<
  Options extends { readonly optional: true } ? Value | undefined : Value
>;

/** Builds a setting of a kind; for the kinds in kinds.ts and those of a service. */
export function setting<Value, Options extends SettingOptions<Value>>(
  kind: string,
  options: Options,
  parse: (text: string) => Value,
  print: (value: Value) => string,
): SettingOf<Value, Options> {
  const built: Setting<Value | undefined> = {
    kind,
    description: options.description,
    secret: options.secret ?? false,
    unusual: options.unusual ?? false,
    formerly: options.formerly ?? [],
    required: options.default === undefined && options.optional !== true,
    defaultText: options.default === undefined ? undefined : print(options.default),
    absent: options.default,
    parse,
  };
  return built as SettingOf<Value, Options>;
}
