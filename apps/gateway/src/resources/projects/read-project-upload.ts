import { HttpError } from '@millrace/http';
import { bodyKind } from '../../http/bodies/parse-body';
import { isRecord } from '../../http/bodies/parse-json';
import { parseForm } from '../../http/bodies/parse-form';
import type { Call } from '../../http/routing/route';
import { createValidator } from '../../http/validation/validator';
import type { FlowBody } from '../../flow-changes/flow-bodies';
import { archivedFlows, parseExport, readFlows } from '../flows/read-upload';
import { uploadedProjectSchema } from './project-bodies';

const checkProject = createValidator(uploadedProjectSchema);
const MEMBERS = ['folder_name', 'flows'] as const;

/** A project to create, with its flows. */
export interface ProjectUpload {
  readonly name: string;
  readonly description: string | null;
  readonly flows: readonly FlowBody[];
}

/**
 * Reads a project from an upload: a ZIP archive of exports, which has its file's name, or a document
 * `{"folder_name": …, "folder_description": …, "flows": […]}`. Throws invalid_value, with Langflow's texts, and
 * invalid_request.
 */
export async function readProjectUpload(call: Pick<Call, 'request' | 'runBody'>): Promise<ProjectUpload> {
  const { fileName, content, maximumMembers } = await uploadOf(call);
  if (content.length === 0) throw new HttpError('invalid_value', 'The uploaded file is empty');
  const archived = archivedFlows(content, maximumMembers);
  const project =
    archived === null
      ? documentOf(parseExport(content, maximumMembers))
      : { folder_name: nameOf(fileName), folder_description: '', flows: archived };
  const { folder_name: name, folder_description: description = null, flows } = project;
  checkProject({ folder_name: name, folder_description: description });
  return { name, description, flows: readFlows(flows) };
}

/** The name of a file without its extension. */
function nameOf(fileName: string): string {
  return fileName.replace(/\.[^.]*$/, '') || 'Imported Project';
}

interface ProjectDocument {
  readonly folder_name: string;
  readonly folder_description?: string | null;
  readonly flows: readonly unknown[];
}

function documentOf(value: unknown): ProjectDocument {
  if (value === null || (Array.isArray(value) && value.length === 0))
    throw new HttpError('invalid_value', 'No flows found in the file');
  if (!isRecord(value))
    throw new HttpError(
      'invalid_value',
      "Invalid project data: expected a JSON object with 'folder_name' and 'flows' fields",
    );
  const missing = MEMBERS.filter((name) => value[name] === undefined);
  if (missing.length > 0)
    throw new HttpError('invalid_value', `Missing required field(s): ${missing.join(', ')}`);
  if (!Array.isArray(value['flows'])) throw new HttpError('invalid_value', 'flows is not a list');
  return value as unknown as ProjectDocument;
}

async function uploadOf({ request, runBody }: Pick<Call, 'request' | 'runBody'>) {
  const { bytes, maximumMembers } =
    runBody && 'bytes' in runBody ? runBody : { bytes: null, maximumMembers: 0 };
  const { files } =
    bytes !== null && bodyKind(request) === 'form' ? await parseForm(request, bytes) : { files: [] };
  const file = files.find(({ name }) => name === 'file');
  if (file === undefined) throw new HttpError('invalid_value', 'No file provided');
  return { fileName: file.filename, content: file.content, maximumMembers };
}
