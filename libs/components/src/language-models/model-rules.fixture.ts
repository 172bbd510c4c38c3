/** What a fake model is asked, whatever the protocol. */
export interface RuledQuestion {
  readonly system: string;
  /** The text of the last turn, when it is a person's. */
  readonly said: string;
  readonly images: number;
  readonly tools: readonly string[];
  /** The tool that has to be called. */
  readonly forced: string | null;
  /** What tools gave, when that is the last turn. */
  readonly results: readonly string[];
}

export interface RuledAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}

const wish = /^call (\S+) (\{.*\})$/s;

/**
 * Answers by rule: `call NAME {…}` has an offered tool called with these arguments; a tool that has to be called is,
 * with the JSON of the text; results of tools are passed on; everything else comes back, with what came with it.
 */
export function answerByRule({ system, said, images, tools, forced, results }: RuledQuestion): RuledAnswer {
  if (forced !== null) return { text: '', calls: [{ name: forced, input: inputIn(said) }] };
  const [, name = '', json = ''] = wish.exec(said) ?? [];
  if (tools.includes(name)) return { text: 'Let me see.', calls: [{ name, input: inputIn(json) }] };
  if (results.length > 0) return { text: `The tools said ${results.join(' and ')}`, calls: [] };
  const told = system === '' ? '' : ` as told: ${system}`;
  const seen = images === 0 ? '' : ` beside ${images} image(s)`;
  return { text: `You said ${said}${seen}${told}`, calls: [] };
}

/** The pieces in which a text is streamed. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+/g) ?? [];
}

/** One server-sent event. */
export function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function inputIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
