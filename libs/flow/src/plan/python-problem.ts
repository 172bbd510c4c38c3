import type { FlowProblem } from '../document/flow-problem';
import type { PlanVertex } from './plan';
import type { PythonVertex } from '../python/python-source';

/** Why a vertex does not run in Python, and what to do next. */
export interface PythonProblem {
  readonly code: FlowProblem['code'];
  readonly message: string;
}

/** Returns why the state of a vertex prevents it from running; null when it is ready. */
export function pythonProblem({ state, missingModules }: PythonVertex): PythonProblem | null {
  if (state === 'off') return { code: 'python_unavailable', message: offRemedy };
  if (state === 'no_environment') return { code: 'python_unavailable', message: environmentRemedy };
  if (state === 'missing_modules') {
    return { code: 'package_missing', message: missingRemedy(missingModules) };
  }
  if (state === 'executes_code') return { code: 'code_not_approved', message: codeRemedy };
  return null;
}

const codeRemedy =
  'its stock class executes code from its fields, from a model or from a file, which no approval covers. It runs with ' +
  'MILLRACE_PYTHON=all only: see docs/use/python.md.';

const offRemedy =
  'It can run in Python, which is off: start with "npm start -- --python", or set MILLRACE_PYTHON=approved on all services.';

const environmentRemedy =
  'It needs Python, and no executor with Python is running. Start one in the pool of the flow: see docs/use/python.md.';

function missingRemedy(modules: readonly string[]): string {
  const names = modules.join(', ');
  const what = modules.length === 1 ? `the module ${names}, which is` : `the modules ${names}, which are`;
  return `Its text imports ${what} not installed. Add the package to the requirements of the Python environment: see docs/use/python.md.`;
}

/** Returns the problem of a vertex whose text is not approved. */
export function notApproved(vertex: PlanVertex, sha256: string): FlowProblem {
  const { id, type, displayName } = vertex;
  return {
    code: 'code_not_approved',
    blocks: true,
    vertexId: id,
    componentType: type,
    message: `"${displayName}" (${type}): ${approvalRemedy(sha256)}`,
  };
}

/** Explains how a text is approved. */
export function approvalRemedy(sha256: string): string {
  return (
    `an admin must approve its Python text before it runs: PUT /api/v1/author-code/${sha256} ` +
    'with {"status": "approved"}.'
  );
}
