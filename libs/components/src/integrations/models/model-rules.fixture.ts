/** A question to a fake model, independent of the protocol. */
export interface FakeModelRequest {
  readonly system: string;
  /** The text of the last turn, when it is the user's. */
  readonly userText: string;
  readonly images: number;
  readonly tools: readonly string[];
  /** The tool that the model must call. */
  readonly forced: string | null;
  /** The results of tools, when the last turn contains them. */
  readonly results: readonly string[];
}

export interface FakeModelAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}

const callPattern = /^call (\S+) (\{.*\})$/s;

/**
 * Answers by rule. `call NAME {…}` requests a call of an offered tool with these arguments; a forced tool is called
 * with the JSON of the text; results of tools are repeated; everything else is echoed, with its instructions and the
 * number of its images.
 */
export function answerByRule({
  system,
  userText,
  images,
  tools,
  forced,
  results,
}: FakeModelRequest): FakeModelAnswer {
  if (forced !== null) return { text: '', calls: [{ name: forced, input: inputIn(userText) }] };
  const [, name = '', json = ''] = callPattern.exec(userText) ?? [];
  if (tools.includes(name)) return { text: 'Let me see.', calls: [{ name, input: inputIn(json) }] };
  if (results.length > 0) return { text: `The tools said ${results.join(' and ')}`, calls: [] };
  const instructionsEcho = system === '' ? '' : `; instructions: ${system}`;
  const imagesEcho = images === 0 ? '' : ` with ${images} image(s)`;
  return { text: `You said ${userText}${imagesEcho}${instructionsEcho}`, calls: [] };
}

/** Splits a text into the pieces in which it is streamed. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S+/g) ?? [];
}

/** Formats one server-sent event. */
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
