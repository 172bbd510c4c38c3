const digits = '[0-9]+(?:_[0-9]+)*';
const integer = new RegExp(`^\\s*[+-]?${digits}\\s*$`);
const float = new RegExp(
  `^\\s*[+-]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:[eE][+-]?${digits})?\\s*$`,
);
const withThousands = /^[+-]?[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]*)?$/;

/**
 * Returns the kind of number in a text: any form that Python's `int` or `float` accepts, also with commas as thousands
 * separators. Null for any other text and for numbers too large for a float.
 */
export function numericText(text: string): 'int' | 'float' | null {
  if (integer.test(text)) return 'int';
  if (withThousands.test(text)) return text.includes('.') ? 'float' : 'int';
  if (/^(?:inf|-inf|nan)$/i.test(text)) return 'float';
  if (!float.test(text)) return null;
  return Number.isFinite(Number(text.replace(/_/g, ''))) ? 'float' : null;
}
