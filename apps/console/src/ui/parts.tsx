import { useEffect, useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { ApiError } from '../api/client';
import { useTimeText } from '../api/clock';
import { exactTime, relativeTime } from './format';
import type { TimeKind } from './format';
import { Check, CircleAlert, Copy, Info, TriangleAlert } from './icons';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly size?: 'small';
}

export function Button({ kind, size, className = '', type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={`button ${kind ?? ''} ${size ?? ''} ${className}`} {...rest} />;
}

/** A button with an icon only; `label` is its accessible name and its tooltip. */
export function IconButton({ label, ...rest }: ButtonProps & { readonly label: string }) {
  return <Button aria-label={label} title={label} className="icon" {...rest} />;
}

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  completed: 'good',
  active: 'good',
  delivered: 'good',
  approved: 'good',
  native: 'good',
  runnable: 'good',
  ok: 'good',
  failed: 'bad',
  refused: 'bad',
  unavailable: 'bad',
  timed_out: 'warn',
  paused: 'warn',
  approximated: 'warn',
  needs_credentials: 'warn',
  needs_approval: 'warn',
  needs_package: 'warn',
  needs_python: 'warn',
  waiting: 'warn',
  suspended: 'warn',
  stopping: 'warn',
  given_back: 'warn',
  handed_off: 'warn',
  redelivered: 'warn',
  executor_lost: 'bad',
  pending: 'info',
  running: 'info moving',
  dispatched: 'info moving',
  upgraded: 'info',
  python: 'info',
  dead: 'dead',
};

export const toneOf = (state: string): string => TONES[state] ?? '';

export function State({ of }: { readonly of: string }) {
  return <span className={`state ${toneOf(of)}`}>{of.replaceAll('_', ' ')}</span>;
}

export interface TimeProps {
  readonly of: string | null | undefined;
  /** `past` unless given. */
  readonly kind?: TimeKind;
}

/** A relative time; the exact one is its tooltip. */
export function Time({ of, kind }: TimeProps) {
  const text = useTimeText((now) => (of ? relativeTime(of, now, kind) : ''));
  if (!of) return <span className="muted">–</span>;
  return (
    <time dateTime={of} title={exactTime(of)}>
      {text}
    </time>
  );
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      kind="plain"
      size="small"
      label={copied ? 'Copied' : label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {copied ? <Check size={14} /> : <Copy size={14} />}
    </IconButton>
  );
}

/** Text to paste, with a button that copies it. */
export function Paste({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <div className="paste">
      <pre tabIndex={0} aria-label={label ?? 'Command'} role="region">
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

export interface NoteProps {
  readonly tone?: 'bad' | 'warn';
  readonly title?: ReactNode;
  readonly children?: ReactNode;
}

export function Note({ tone, title, children }: NoteProps) {
  const Icon = tone === 'bad' ? CircleAlert : tone === 'warn' ? TriangleAlert : Info;
  return (
    <div className={`note ${tone ?? ''}`} role={tone === 'bad' ? 'alert' : 'note'}>
      <Icon size={17} />
      <div className="stack">
        {title !== undefined && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}

/** Says what failed, what to do, and which request of the log it was. */
export function ErrorNote({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const known = error instanceof ApiError ? error : undefined;
  return (
    <Note tone="bad" title={known === undefined ? 'The page failed' : adviceFor(known)}>
      <p className="note-text">{error instanceof Error ? error.message : String(error)}</p>
      <div className="row">
        {retry !== undefined && (
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        )}
        {known !== undefined && known.code !== '' && <code>{known.code}</code>}
        {known?.requestId !== undefined && <span className="muted mono">request {known.requestId}</span>}
      </div>
    </Note>
  );
}

function adviceFor({ status }: ApiError): string {
  if (status === 0) return 'The server does not answer';
  if (status === 403) return 'Your key or your role does not allow this';
  if (status === 404) return 'It does not exist, or it belongs to another user';
  if (status === 409) return 'It has changed since: reload the page';
  if (status === 429) return 'Too many requests: wait a moment';
  if (status === 503) return 'A part of the server is unavailable: see Health';
  if (status >= 500) return 'The server failed: its log has the request';
  return 'The server refused this';
}

export interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly paste?: string;
}

export function Empty({ title, children, paste }: EmptyProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {paste !== undefined && <Paste text={paste} label={`Line to paste: ${title}`} />}
    </div>
  );
}

export function Busy({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <p className="busy" role="status">
      {what}…
    </p>
  );
}

export interface CardProps {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Card({ title, actions, flush = false, children }: CardProps) {
  return (
    <section className="card">
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {flush ? children : <div className="body">{children}</div>}
    </section>
  );
}

export interface PageHeadProps {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly before?: ReactNode;
  readonly children?: ReactNode;
}

export function PageHead({ title, about, before, children }: PageHeadProps) {
  return (
    <div className="page-head">
      <div>
        {before}
        <h1 dir="auto">{title}</h1>
        {about !== undefined && <p dir="auto">{about}</p>}
      </div>
      {children !== undefined && <div className="row">{children}</div>}
    </div>
  );
}

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl className="facts">
      {of.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
