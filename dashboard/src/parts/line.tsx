import { useId, type ReactNode } from 'react';

/** One line of text with its label. Enter does not send what it stands in: in a dialog that would be by accident. */
export const Line = ({
  label,
  value,
  maxLength,
  placeholder,
  readOnly,
  required = false,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly maxLength: number;
  readonly placeholder: string;
  readonly readOnly: boolean;
  readonly required?: boolean;
  readonly onChange: (value: string) => void;
}): ReactNode => {
  const id = useId();
  return (
    <div className="line">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        autoComplete="off"
        value={value}
        maxLength={maxLength}
        placeholder={placeholder}
        readOnly={readOnly}
        required={required}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
    </div>
  );
};
