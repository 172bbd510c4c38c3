import type { FlowCache, RequestLimits } from '@millrace/access';
import { HttpError } from '@millrace/http';
import { fileName } from '@millrace/runs';
import type { AuditLog, FileRecord, FileStore, FlowReference } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { auditedFiles } from '../files/audited-files';
import { receiveUpload } from '../files/receive-upload';
import { imageType } from '../files/image-type';
import { sendFile, sendImage } from '../files/send-file';
import { forManagement, forReading } from '../../http/routing/access';
import { keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { flowFileOperations } from '../files/file-operations';

export interface FlowFileRoutesOptions {
  readonly files: FileStore;
  readonly audit: AuditLog;
  readonly flows: FlowCache;
  readonly maximumBytes: number;
  readonly limits: Pick<RequestLimits, 'countFile'>;
}

/** Routes for the files of a flow. A key that can run the flow can upload and read them. */
export function flowFileRoutes({
  files,
  audit,
  flows,
  maximumBytes,
  limits,
}: FlowFileRoutesOptions): readonly Route[] {
  const audited = auditedFiles({ files, audit });
  const findFlow = async ({ request, principal }: KeyedCall): Promise<FlowReference> => {
    const id = parseUuidStrictly(pathParameter(request, 'flow_id'), ['path', 'flow_id']);
    const flow = await flows.find(principal.userId, id);
    if (!flow) throw flowNotFound();
    return flow;
  };
  const flowOf = async (call: KeyedCall): Promise<string> => (await findFlow(call)).id;
  const findFile = async (call: KeyedCall): Promise<FileRecord | null> => {
    const name = pathParameter(call.request, 'file_name');
    const file = await files.findByPath(call.principal.userId, `${await flowOf(call)}/${name}`);
    if (!file) refuseOtherPath(name);
    return file;
  };
  const fileOf = async (call: KeyedCall): Promise<FileRecord> => {
    const file = await findFile(call);
    if (!file) throw fileNotFound();
    return file;
  };

  const upload = async (call: KeyedCall) => {
    const flow = await findFlow(call);
    const { id: flowId } = flow;
    const { principal } = call;
    const file = await receiveUpload(call.request, {
      maximumBytes,
      counted: limits.countFile({ principal, flow }),
      store: async (given, content) => {
        const { name, extension } = fileName(given.split(/[/\\]/).at(-1) ?? '');
        const place = { userId: call.principal.userId, flowId };
        const stored = await audited.receive(
          actorOf(call),
          { ...place, name: `${stamp(new Date(machineTime()))}_${name}`, extension },
          content,
        );
        if (!stored) throw flowNotFound();
        return stored;
      },
    });
    sendJson(call.response, 201, { flowId, file_path: file.path });
  };
  const list = async (call: KeyedCall) => {
    const found = await files.list(call.principal.userId, await flowOf(call));
    sendJson(call.response, 200, { files: found.map(({ name, extension }) => name + extension) });
  };
  const download = async (call: KeyedCall) => sendFile(call.response, files, await fileOf(call));
  const show = async (call: KeyedCall) => {
    const file = await fileOf(call);
    const type = imageType(file.extension);
    if (type === null) throw new HttpError('invalid_value', `${file.name}${file.extension} is not an image.`);
    await sendImage(call.response, files, file, type);
  };
  const remove = async (call: KeyedCall) => {
    const file = await findFile(call);
    // As in Langflow, deleting a file that is not there succeeds.
    if (file) await audited.delete(actorOf(call), file);
    const name = pathParameter(call.request, 'file_name');
    sendJson(call.response, 200, { message: `File ${name} deleted successfully` });
  };

  const root = '/api/v1/files';
  const operations = flowFileOperations;
  const reading = { access: forReading } as const;
  return [
    // The second path is the former one.
    ...[`${root}/upload/:flow_id`, '/api/v1/upload/:flow_id'].map((path): Route => ({
      ...reading,
      method: 'POST',
      path,
      operation: operations.upload,
      handle: upload,
    })),
    { ...reading, method: 'GET', path: `${root}/list/:flow_id`, operation: operations.list, handle: list },
    {
      ...reading,
      method: 'GET',
      path: `${root}/download/:flow_id/:file_name`,
      operation: operations.download,
      handle: download,
    },
    {
      ...reading,
      method: 'GET',
      path: `${root}/images/:flow_id/:file_name`,
      operation: operations.show,
      handle: show,
    },
    keyedRoute(`DELETE ${root}/delete/:flow_id/:file_name`, forManagement, operations.remove, remove),
  ];
}

/** Throws invalid_value for a name that is a path, by Langflow's rule; stored names can have two points in a row. */
function refuseOtherPath(name: string): void {
  if (!/\.\.|[/\\]/.test(name)) return;
  throw new HttpError(
    'invalid_value',
    "Invalid file name. Use a simple file name without directory paths or '..'.",
  );
}

/** Returns the upload time in the format that Langflow puts before the name: `2026-01-31_10-00-00`. */
function stamp(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-');
}

function flowNotFound(): HttpError {
  return new HttpError('flow_unknown', 'Flow not found');
}

function fileNotFound(): HttpError {
  return new HttpError('not_found', 'File not found');
}
