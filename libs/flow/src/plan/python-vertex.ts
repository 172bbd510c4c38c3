import { createHash } from 'node:crypto';
import { codeText } from '../document/code-text';
import type { FlowNode } from '../document/flow-document';
import { typeNames } from './find-component';
import { executesCode } from '../python/code-classes';
import { importedModules } from '../python/imported-modules';
import type { PythonEnvironment, PythonPolicy } from '../python/python-policy';
import type { PythonSource, PythonVertex } from '../python/python-source';

/** Where a node comes from. */
export interface TypeOrigin {
  /** False when its author wrote or edited its text. */
  readonly isStock: boolean;
  /** A release of Langflow ships the type. */
  readonly isPublishedType: boolean;
}

/**
 * Returns how a node without a native component runs in Python; null when Python cannot run it either: the file lacks
 * the text, or the text is not well-formed Unicode or contains U+0000. For a stock component, the class of the installed lfx runs and never
 * the text of the file, unless that lfx has no such class: then the text counts as an author's.
 */
export function pythonVertex(
  node: FlowNode,
  { isStock, isPublishedType }: TypeOrigin,
  { mode, environment }: PythonPolicy,
): PythonVertex | null {
  const source = (isStock ? classSource(node, environment) : null) ?? textSource(node);
  const isUnknownClass = isStock && isPublishedType && environment === null;
  if (source === null && !isUnknownClass) return null;
  const vertex = { source: isUnknownClass ? null : source, missingModules: [] };
  if (mode === 'off') return { ...vertex, state: 'off' };
  if (environment === null || source === null) return { ...vertex, state: 'no_environment' };
  if ('module' in source && mode !== 'all' && executesCode(source.module)) {
    return { ...vertex, state: 'executes_code' };
  }
  const missingModules = 'text' in source ? missingFrom(environment, source.text) : [];
  return { source, missingModules, state: missingModules.length > 0 ? 'missing_modules' : 'ready' };
}

function classSource(node: FlowNode, environment: PythonEnvironment | null): PythonSource | null {
  for (const name of typeNames(node.type)) {
    const module = environment?.components.get(name);
    if (module !== undefined) return { module };
  }
  return null;
}

function textSource(node: FlowNode): PythonSource | null {
  const text = codeText(node.fields.get('code')?.value);
  // Lone surrogates have no form in UTF-8, and PostgreSQL cannot store U+0000: an admin would see another text.
  if (text === '' || /[\p{Surrogate}\0]/u.test(text)) return null;
  return { sha256: createHash('sha256').update(text, 'utf8').digest('hex'), text };
}

function missingFrom({ modules }: PythonEnvironment, text: string): readonly string[] {
  return importedModules(text).filter((name) => !modules.has(name));
}
