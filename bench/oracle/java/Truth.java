import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * What javac says every name of a tree means, as lines of JSON that compare.py reads:
 * {@code java Truth.java TREE SOURCES... > truth.jsonl}. Libraries need not be there: what is called on
 * values of theirs is not told.
 */
class Truth {
    private final Path root;
    private final Trees trees;
    private final Types types;
    /** Where the definitions of this tree stand. */
    private final Map<Element, String> symbols = new HashMap<>();
    private final PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false);

    private Truth(Path root, JavacTask task) {
        this.root = root;
        this.trees = Trees.instance(task);
        this.types = task.getTypes();
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toRealPath();
        List<Path> files = new ArrayList<>();
        for (String source : Arrays.copyOfRange(arguments, 1, arguments.length)) {
            try (Stream<Path> walk = Files.walk(root.resolve(source))) {
                walk.filter(path -> path.toString().endsWith(".java")).sorted().forEach(files::add);
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        JavacTask task = (JavacTask) compiler.getTask(new PrintWriter(Writer.nullWriter()), manager, fault -> {},
            List.of("-proc:none", "-Xmaxerrs", "100000", "-XDshould-stop.ifError=FLOW"), null, manager.getJavaFileObjectsFromPaths(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Truth truth = new Truth(root, task);
        units.forEach(truth::define);
        units.forEach(truth::mention);
        truth.relate();
        truth.out.flush();
    }

    private void define(CompilationUnitTree unit) {
        new TreePathScanner<Void, Void>() {
            @Override public Void visitClass(ClassTree tree, Void nothing) {
                define(tree, tree.getSimpleName().toString(), "#");
                return super.visitClass(tree, nothing);
            }

            @Override public Void visitMethod(MethodTree tree, Void nothing) {
                boolean constructs = tree.getName().contentEquals("<init>");
                String name = constructs ? nameOfClass() : tree.getName().toString();
                // Constructors that nobody wrote stand nowhere.
                if (trees.getSourcePositions().getEndPosition(unit, tree) > 0) {
                    define(tree, name, "().");
                }
                return super.visitMethod(tree, nothing);
            }

            private String nameOfClass() {
                return ((ClassTree) getCurrentPath().getParentPath().getLeaf()).getSimpleName().toString();
            }

            private void define(Tree tree, String name, String ending) {
                Element element = trees.getElement(getCurrentPath());
                long start = trees.getSourcePositions().getStartPosition(unit, tree);
                int at = name.isEmpty() || element == null || start < 0 ? -1 : find(unit, name, (int) start, ending.equals("#"));
                if (at >= 0) {
                    long[] place = place(unit, at);
                    String symbol = path(unit) + ":" + place[0] + ":" + place[1] + ending;
                    symbols.put(element, symbol);
                    tell(unit, at, name, symbol, true);
                }
            }
        }.scan(unit, null);
    }

    /** Where a name is written in a declaration: before a bracket, or after the word for the kind of type. */
    private int find(CompilationUnitTree unit, String name, int from, boolean isType) {
        String text = text(unit);
        String before = isType ? "\\b(?:class|interface|enum|record)\\s+" : "(?<![\\w.@])";
        String after = isType ? "\\b" : "\\s*\\(";
        var matcher = java.util.regex.Pattern.compile(before + "(" + java.util.regex.Pattern.quote(name) + ")" + after).matcher(text);
        return matcher.find(from) ? matcher.start(1) : -1;
    }

    private void mention(CompilationUnitTree unit) {
        new TreePathScanner<Void, Void>() {
            @Override public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
                ExpressionTree called = tree.getMethodSelect();
                Element element = trees.getElement(new TreePath(getCurrentPath(), called));
                String name = called instanceof MemberSelectTree member ? member.getIdentifier().toString() : called.toString();
                int end = (int) trees.getSourcePositions().getEndPosition(unit, called);
                mention(element, name, end - name.length());
                return super.visitMethodInvocation(tree, nothing);
            }

            @Override public Void visitNewClass(NewClassTree tree, Void nothing) {
                Element element = trees.getElement(getCurrentPath());
                ExpressionTree named = tree.getIdentifier();
                if (named instanceof ParameterizedTypeTree generic) {
                    named = (ExpressionTree) generic.getType();
                }
                String whole = named.toString();
                String name = whole.substring(whole.lastIndexOf('.') + 1);
                int end = (int) trees.getSourcePositions().getEndPosition(unit, named);
                // A constructor that nobody wrote is its class; so is that of a class without a name.
                if (tree.getClassBody() == null && element != null) {
                    boolean isWritten = symbols.containsKey(element);
                    mention(isWritten ? element : element.getEnclosingElement(), name, end - name.length());
                }
                return super.visitNewClass(tree, nothing);
            }

            private void mention(Element element, String name, int at) {
                String symbol = symbols.get(element);
                if (symbol != null && at >= 0 && text(unit).startsWith(name, at)) {
                    tell(unit, at, name, symbol, false);
                }
            }
        }.scan(unit, null);
    }

    private void relate() {
        List<Element> all = symbols.keySet().stream().filter(one -> one instanceof TypeElement).toList();
        for (Element one : all) {
            for (TypeMirror base : types.directSupertypes(one.asType())) {
                Element other = types.asElement(base);
                if (symbols.containsKey(other)) {
                    out.printf("{\"type\":\"%s\",\"interface\":\"%s\"}%n", symbols.get(one), symbols.get(other));
                }
            }
        }
    }

    private void tell(CompilationUnitTree unit, int at, String name, String symbol, boolean isDefinition) {
        long[] place = place(unit, at);
        out.printf("{\"path\":\"%s\",\"line\":%d,\"column\":%d,\"endColumn\":%d,\"symbol\":\"%s\",\"definition\":%b}%n",
            path(unit), place[0], place[1], place[1] + name.length(), symbol, isDefinition);
    }

    private long[] place(CompilationUnitTree unit, int at) {
        String text = text(unit);
        int start = text.lastIndexOf('\n', at - 1) + 1;
        return new long[] {unit.getLineMap().getLineNumber(at), at - start};
    }

    private String path(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
    }

    private final Map<CompilationUnitTree, String> texts = new HashMap<>();

    private String text(CompilationUnitTree unit) {
        return texts.computeIfAbsent(unit, one -> {
            try {
                return one.getSourceFile().getCharContent(true).toString();
            } catch (IOException fault) {
                throw new UncheckedIOException(fault);
            }
        });
    }
}
