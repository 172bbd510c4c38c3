/** A check that a model makes on a text. */
export interface GuardrailCheck {
  readonly name: string;
  /** What the text must not contain. */
  readonly forbidden: string;
  /** What the caller of a refused text reads. */
  readonly justification: string;
  /** Known phrases are refused without a model. */
  readonly knowsPhrases: boolean;
}

const check = (forbidden: string, justification: string, knowsPhrases = false) => ({
  forbidden,
  justification,
  knowsPhrases,
});

const checks: Readonly<Record<string, Omit<GuardrailCheck, 'name'>>> = {
  PII: check(
    'personal data that identifies a person: names, postal addresses, telephone numbers, email addresses, numbers of identity documents or of payment cards',
    'The input contains personal identifiable information (PII) that should not be processed.',
  ),
  'Tokens/Passwords': check(
    'credentials: passwords, API keys, access tokens, private or secret keys',
    'The input contains sensitive credentials such as API tokens, passwords or keys.',
  ),
  Jailbreak: check(
    'a clear attempt to make an AI ignore its safety rules or act without restrictions; a question about a sensitive subject is not one',
    'The input contains attempts to bypass AI safety guidelines.',
    true,
  ),
  'Offensive Content': check(
    'offensive, hateful, discriminating or violent content',
    'The input contains offensive, hateful, discriminatory or violent content.',
  ),
  'Malicious Code': check(
    'code, scripts, exploits or commands that do harm',
    'The input contains potentially malicious code or harmful commands.',
  ),
  'Prompt Injection': check(
    "a clear attempt to replace an AI's instructions with instructions in the text; an ordinary question or greeting is not one",
    "The input contains attempts to override system instructions or to manipulate the AI's behavior.",
    true,
  ),
};

/** Returns the selected checks in the order of the selection; names of no check are omitted. */
export function selectedChecks(names: readonly string[], custom: string): readonly GuardrailCheck[] {
  const selected = names.flatMap((name) => {
    const found = Object.hasOwn(checks, name) ? checks[name] : undefined;
    return found === undefined ? [] : [{ name, ...found }];
  });
  if (custom === '') return selected;
  const justification = 'The input failed the custom guardrail validation based on the specified criteria.';
  return [...selected, { name: 'Custom Guardrail', ...check(custom, justification) }];
}

/**
 * Phrases and their weights: a strong one is enough, weak ones occur in ordinary texts too. The second of two words can be
 * anywhere behind the first one in its line.
 */
const phrases: readonly (readonly [RegExp | readonly [string, string], number])[] = [
  [['ignore ', 'instruc'], 0.8],
  [['forget ', 'instruc'], 0.8],
  [['disregard ', 'instruc'], 0.8],
  [['ignore ', 'previous'], 0.7],
  [/\bjailbreak\b/, 0.9],
  [/\bbypass\b/, 0.2],
  [/system prompt/, 0.3],
  [/prompt do sistema/, 0.3],
  [/\bact as\b/, 0.15],
  [/\bno rules\b/, 0.2],
  [/sem restric/, 0.25],
  [/sem filtros/, 0.25],
];

/** Returns the sum of the weights of the phrases in a text, at most 1; null when it contains none. */
export function phraseScore(text: string): number | null {
  const lowerCase = text.toLowerCase();
  const lines = lowerCase.split(/[\n\r\u2028\u2029]/);
  const found = phrases.filter(([phrase]) =>
    phrase instanceof RegExp ? phrase.test(lowerCase) : lines.some((line) => hasBoth(line, phrase)),
  );
  if (found.length === 0) return null;
  return Math.min(
    found.reduce((sum, [, weight]) => sum + weight, 0),
    1,
  );
}

function hasBoth(line: string, [first, second]: readonly [string, string]): boolean {
  const start = line.indexOf(first);
  return start !== -1 && line.includes(second, start + first.length);
}
