import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import type { Flow, FlowReport } from '../api/answers';
import { Modal } from '../ui/dialog';
import { Button, ErrorNote, State } from '../ui/parts';

interface Imported {
  readonly file: string;
  readonly flows?: readonly (Flow & { readonly report: FlowReport })[];
  readonly error?: unknown;
}

const MAXIMUM_FILES = 50;

/** Imports exported flows, one request a file, and says how each would run. */
export function ImportDialog({
  files,
  onClose,
}: {
  readonly files: readonly File[];
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState(files);
  const [busy, setBusy] = useState(false);
  const [results, setResults] = useState<readonly Imported[]>([]);
  const upload = async () => {
    setBusy(true);
    for (const file of chosen.slice(0, MAXIMUM_FILES)) {
      const body = new FormData();
      body.append('file', file);
      const result = await call<Imported['flows']>('/api/v1/flows/upload/', { method: 'POST', body }).then(
        (flows): Imported => ({ file: file.name, ...(flows === undefined ? {} : { flows }) }),
        (error: unknown): Imported => ({ file: file.name, error }),
      );
      setResults((before) => [...before, result]);
    }
    setBusy(false);
    setChosen([]);
    await client.invalidateQueries({ queryKey: ['flows'] });
  };
  return (
    <Modal title="Import flows" onClose={onClose}>
      <p className="muted">Files that Langflow exports: JSON, or a ZIP archive of them.</p>
      <input
        ref={picker}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label="Files to import"
        accept=".json,.zip,application/json,application/zip"
        multiple
        onChange={(event) => setChosen([...(event.target.files ?? [])])}
      />
      <div
        className="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          event.stopPropagation();
          setChosen([...event.dataTransfer.files]);
        }}
      >
        {chosen.length === 0 ? 'Drop files here, or ' : chosen.map(({ name }) => name).join(', ')}{' '}
        <Button size="small" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
      </div>
      {results.map(({ file, flows, error }, index) => (
        <div key={index} className="stack">
          {error !== undefined && (
            <>
              <strong dir="auto">{file}</strong>
              <ErrorNote error={error} />
            </>
          )}
          {(flows ?? []).map(({ id, name, report }) => (
            <div key={id} className="row spread">
              <Link href={`/flows/${id}`} onClick={onClose} dir="auto">
                {name}
              </Link>
              <State of={report.verdict} />
            </div>
          ))}
        </div>
      ))}
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" disabled={busy || chosen.length === 0} onClick={() => void upload()}>
          {busy ? 'Importing…' : 'Import'}
        </Button>
      </div>
    </Modal>
  );
}
