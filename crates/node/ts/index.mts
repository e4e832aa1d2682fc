// The same objects as the CommonJS module's, for `import`.
export type * from "./index.cjs";
export {
  CutStream,
  Document,
  Extraction,
  Offcut,
  OffcutError,
  Reply,
  cut,
  cutSync,
  defaultOffcut,
  show,
  tool,
  version,
} from "./index.cjs";
