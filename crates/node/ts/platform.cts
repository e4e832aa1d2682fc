/** The package that carries the native module and the command for this platform. */
export function platformPackage(): string {
  const { platform, arch } = process;
  if (platform !== "linux") {
    return `@offcut/${platform}-${arch}`;
  }
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return `@offcut/linux-${arch}-${report.header?.glibcVersionRuntime ? "gnu" : "musl"}`;
}
