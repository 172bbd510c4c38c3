import { useState } from 'react';
import { call } from '../api/client';

export interface FileFieldProps {
  readonly flow: string;
  readonly id: string;
  readonly label: string;
  readonly onPaths: (paths: readonly string[]) => void;
}

/** Uploads chosen files for a flow and hands on the paths by which a vertex reads them. */
export function FileField({ flow, id, label, onPaths }: FileFieldProps) {
  const [state, setState] = useState('');
  const upload = async (files: readonly File[]) => {
    setState('Uploading…');
    try {
      const paths: string[] = [];
      for (const file of files) {
        const body = new FormData();
        body.append('file', file);
        const answer = await call<{ file_path: string }>(`/api/v1/files/upload/${flow}`, {
          method: 'POST',
          body,
        });
        paths.push(answer.file_path);
      }
      onPaths(paths);
      setState(paths.length === 0 ? '' : 'Uploaded');
    } catch (error) {
      setState(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        className="input"
        multiple
        onChange={(event) => void upload([...(event.target.files ?? [])])}
      />
      <span className="hint" role="status">
        {state}
      </span>
    </div>
  );
}
