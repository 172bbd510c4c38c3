/** The styles of the classes that were used. */
const styles = new Map();

/**
 * Replaces the styles of highlighted code by classes: the Content-Security-Policy refuses styles of elements.
 * @type {NonNullable<import('vitepress').MarkdownOptions['codeTransformers']>[number]}
 */
export const stylesToClasses = { name: 'styles-to-classes', pre: replaceStyle, span: replaceStyle };

/** @param {{ readonly properties: Record<string, unknown> }} element */
function replaceStyle({ properties }) {
  const { style } = properties;
  if (typeof style !== 'string' || style === '') return;
  delete properties.style;
  const name = `code-${style.replaceAll('--shiki-', '').replaceAll(/[^\dA-Za-z]+/g, '-')}`;
  styles.set(name, style);
  properties.class = [properties.class, name].filter(Boolean).join(' ');
}

/** Returns the rules of the classes that were used. */
export function codeStyles() {
  const rules = [...styles].map(([name, style]) => `.${name}{${style}}`);
  return rules.sort().join('\n');
}
