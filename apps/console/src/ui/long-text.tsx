import { useState } from 'react';
import { bytes } from './format';
import { Download } from './icons';
import { Button } from './parts';

/** A browser takes long to lay out a text of millions of characters. */
const SHOWN_CHARACTERS = 20_000;

export interface LongTextProps {
  readonly text: string;
  /** Also the name of the downloaded file. */
  readonly label: string;
  readonly isCode?: boolean;
}

/** A text; of a long one the beginning, until the reader asks for all of it. */
export function LongText({ text, label, isCode = false }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > SHOWN_CHARACTERS && !isWhole;
  const shown = isCut ? text.slice(0, SHOWN_CHARACTERS) : text;
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = `${label.replaceAll(/[^\w-]+/g, '-').slice(0, 60)}.${isCode ? 'json' : 'txt'}`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      {isCode ? (
        <pre className="value-json" tabIndex={0} role="region" aria-label={label}>
          {shown}
        </pre>
      ) : (
        <p className="value-text" dir="auto">
          {shown}
        </p>
      )}
      {isCut && (
        <div className="row">
          <span className="muted">The first {bytes(SHOWN_CHARACTERS)} are shown.</span>
          <Button size="small" onClick={() => setWhole(true)}>
            Show all {bytes(text.length)}
          </Button>
          <Button size="small" onClick={save}>
            <Download size={14} /> Download
          </Button>
        </div>
      )}
    </>
  );
}
