import { fileEvent } from '@millrace/runs';
import type { AuditActor, AuditLog, FileRecord, FileStore, NewFile } from '@millrace/runs';

/** Returns the changes of files, each of which stores its entry of the audit log in its transaction. */
export function auditedFiles({ files, audit }: { readonly files: FileStore; readonly audit: AuditLog }) {
  return {
    /** See FileStore.receive. */
    receive: (actor: AuditActor, file: NewFile, content: AsyncIterable<Buffer>): Promise<FileRecord | null> =>
      audit.recording(actor, (record) =>
        files.receive(file, content, (connection, stored) =>
          record(connection, fileEvent('file.uploaded', stored)),
        ),
      ),
    /** See FileStore.rename. A name that the file has already is no change. */
    rename: (
      actor: AuditActor,
      { userId, id, ...before }: Pick<FileRecord, 'userId' | 'id' | 'name'>,
      wanted: string,
    ): Promise<FileRecord | null> =>
      audit.change(actor, async (change) => {
        const renamed = await files.within(change).rename(userId, id, wanted);
        if (renamed && renamed.name !== before.name) change.note(fileEvent('file.renamed', renamed));
        return renamed;
      }),
    /** See FileStore.delete. */
    delete: (actor: AuditActor, file: FileRecord): Promise<boolean> =>
      audit.change(actor, async (change) => {
        const isDeleted = await files.within(change).delete(file.userId, file.id);
        if (isDeleted) change.note(fileEvent('file.deleted', file));
        return isDeleted;
      }),
    /** See FileStore.deleteAll. One entry has the number of files. */
    deleteAll: (actor: AuditActor, userId: string): Promise<number> =>
      audit.change(actor, async (change) => {
        const count = await files.within(change).deleteAll(userId);
        if (count > 0) change.note({ action: 'file.deleted', detail: { files: count } });
        return count;
      }),
  };
}
