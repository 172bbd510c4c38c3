import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentRegistry } from '@millrace/components';
import { compile, flowReport, noPython, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, FlowReport, PythonPolicy } from '@millrace/flow';
import { readPythonEnvironment, workerFolder } from '@millrace/python';
import { CliError } from '../cli-error';

/** How a flow runs; `error` when it is not a flow. */
export type CheckedFlow = Pick<FlowReport, 'verdict' | 'vertices'> & { readonly error?: string };

export interface FlowCheckerOptions {
  /** The setting MILLRACE_PYTHON of the installation. */
  readonly pythonMode: 'off' | 'approved' | 'all';
  /** Folder of the Python environment; `.millrace/python` unless given. */
  readonly folder?: string | undefined;
  /** Whether a run could look up a variable of this name. */
  readonly hasVariable: (name: string) => boolean;
  /** Whether an admin approved the text of an author with this SHA-256; none is approved unless given. */
  readonly isApproved?: (sha256: string) => boolean;
}

/** Reports how flows run here, without a server. */
export class FlowChecker {
  readonly #registry: ComponentRegistry;
  readonly #options: FlowCheckerOptions;

  private constructor(registry: ComponentRegistry, options: FlowCheckerOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /** Throws CliError when the Python environment cannot be used. */
  static async open(options: FlowCheckerOptions): Promise<FlowChecker> {
    const python =
      options.pythonMode === 'off' ? noPython : await pythonPolicy(options.pythonMode, options.folder);
    return new FlowChecker({ ...componentRegistry, python }, options);
  }

  checkFile(file: string): CheckedFlow {
    try {
      return this.check(JSON.parse(readFileSync(file, 'utf8')), file);
    } catch (error) {
      return refused(error);
    }
  }

  check(document: unknown, flowId: string): CheckedFlow {
    try {
      const plan = compile(parseFlowDocument(document), { flowId, version: 1, registry: this.#registry });
      const { hasVariable, isApproved = () => false } = this.#options;
      return flowReport(plan, { hasVariable, isApproved });
    } catch (error) {
      return refused(error);
    }
  }
}

function refused(error: unknown): CheckedFlow {
  return { verdict: 'refused', vertices: [], error: error instanceof Error ? error.message : String(error) };
}

async function pythonPolicy(
  mode: 'approved' | 'all',
  folder = join('.millrace', 'python'),
): Promise<PythonPolicy> {
  const environment = await readPythonEnvironment(folder, { workerFolder: workerFolder() });
  if ('reason' in environment) throw new CliError('configuration', environment.reason);
  return { mode, environment };
}
