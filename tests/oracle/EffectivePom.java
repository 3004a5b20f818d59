// Prints what Maven itself makes of every POM below a directory: the yardstick for
// `src/extract/manifests/maven`. It drives Maven's own model builder, so inheritance, profiles,
// interpolation, imported BOMs and managed dependencies are Maven's word, not ours. It resolves no
// artifacts, runs no plugins and reads no network: a parent or BOM that is not below ROOT counts
// as an empty POM of those coordinates.
//
// Usage: java -cp '/usr/share/maven/lib/*' EffectivePom.java ROOT
//
// Output: JSON objects, one a line, keys always in this order, lines sorted as text, so that two
// runs over one tree are equal byte for byte. Paths are relative to ROOT with `/`.
//
//   {"pom":"a/pom.xml","module":"g:a","version":"1","packaging":"jar","description":"..."}
//   {"pom":"a/pom.xml","module":"g:a","dependency":"g:b","type":"jar","classifier":null,
//    "version":"2","scope":"test","optional":false}            (on one line)
//   {"pom":"bad/pom.xml","error":"..."}
//
// A value that Maven leaves unset is null; an expression that it cannot resolve stays as written
// (`${x}`). System properties and the environment are hidden from it, and profiles that ask for a
// JDK, an operating system or a file are never active, so that a tree means the same on every
// machine.

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.maven.model.Activation;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Model;
import org.apache.maven.model.Parent;
import org.apache.maven.model.Profile;
import org.apache.maven.model.Repository;
import org.apache.maven.model.building.DefaultModelBuilderFactory;
import org.apache.maven.model.building.DefaultModelBuildingRequest;
import org.apache.maven.model.building.FileModelSource;
import org.apache.maven.model.building.ModelBuildingRequest;
import org.apache.maven.model.building.ModelProblemCollector;
import org.apache.maven.model.building.ModelSource;
import org.apache.maven.model.io.xpp3.MavenXpp3Reader;
import org.apache.maven.model.profile.ProfileActivationContext;
import org.apache.maven.model.profile.activation.ProfileActivator;
import org.apache.maven.model.profile.activation.PropertyProfileActivator;
import org.apache.maven.model.resolution.ModelResolver;
import org.apache.maven.model.validation.ModelValidator;

@SuppressWarnings("deprecation")
public class EffectivePom {
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]).toAbsolutePath().normalize();
        List<Path> poms;
        try (Stream<Path> files = Files.walk(root)) {
            poms = files.filter(file -> file.getFileName().toString().equals("pom.xml"))
                    .sorted()
                    .collect(Collectors.toList());
        }
        Map<String, File> workspace = new HashMap<>();
        for (Path pom : poms) {
            addRaw(workspace, pom.toFile());
        }
        // A first round learns the coordinates that contain expressions; the second then finds
        // parents and BOMs by them.
        Map<String, File> resolved = new HashMap<>(workspace);
        for (Path pom : poms) {
            try {
                Model model = effective(pom.toFile(), workspace);
                resolved.put(key(model.getGroupId(), model.getArtifactId(), model.getVersion()), pom.toFile());
            } catch (Exception error) {
                // The second round reports it.
            }
        }
        TreeSet<String> lines = new TreeSet<>();
        for (Path pom : poms) {
            String path = root.relativize(pom).toString().replace('\\', '/');
            try {
                describe(path, effective(pom.toFile(), resolved), lines);
            } catch (Exception error) {
                lines.add("{\"pom\":" + json(path) + ",\"error\":" + json(error.getMessage()) + "}");
            }
        }
        lines.forEach(System.out::println);
    }

    private static void describe(String path, Model model, TreeSet<String> lines) {
        String head = "{\"pom\":" + json(path)
                + ",\"module\":" + json(model.getGroupId() + ":" + model.getArtifactId());
        lines.add(head
                + ",\"version\":" + json(model.getVersion())
                + ",\"packaging\":" + json(model.getPackaging())
                + ",\"description\":" + json(model.getDescription()) + "}");
        for (Dependency dependency : model.getDependencies()) {
            lines.add(head
                    + ",\"dependency\":" + json(dependency.getGroupId() + ":" + dependency.getArtifactId())
                    + ",\"type\":" + json(dependency.getType())
                    + ",\"classifier\":" + json(dependency.getClassifier())
                    + ",\"version\":" + json(dependency.getVersion())
                    + ",\"scope\":" + json(dependency.getScope())
                    + ",\"optional\":" + dependency.isOptional() + "}");
        }
    }

    private static Model effective(File pom, Map<String, File> workspace) throws Exception {
        ModelBuildingRequest request = new DefaultModelBuildingRequest()
                .setPomFile(pom)
                .setProcessPlugins(false)
                .setTwoPhaseBuilding(false)
                .setLocationTracking(false)
                .setValidationLevel(ModelBuildingRequest.VALIDATION_LEVEL_MINIMAL)
                .setModelResolver(new Workspace(workspace));
        return new Builders().newInstance().build(request).getEffectiveModel();
    }

    private static void addRaw(Map<String, File> workspace, File pom) {
        try (InputStream input = Files.newInputStream(pom.toPath())) {
            Model model = new MavenXpp3Reader().read(input, false);
            Parent parent = model.getParent();
            String group = model.getGroupId();
            String version = model.getVersion();
            if (parent != null) {
                group = group == null ? parent.getGroupId() : group;
                version = version == null ? parent.getVersion() : version;
            }
            workspace.put(key(group, model.getArtifactId(), version), pom);
        } catch (Exception error) {
            // It is reported when its effective model is asked for.
        }
    }

    private static String key(String group, String artifact, String version) {
        return group + ":" + artifact + ":" + version;
    }

    private static String json(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') {
                out.append('\\').append(letter);
            } else if (letter < ' ') {
                out.append(String.format("\\u%04x", (int) letter));
            } else {
                out.append(letter);
            }
        }
        return out.append('"').toString();
    }

    /** Maven's builder, without the checks that refuse a dependency whose version is not known here. */
    private static class Builders extends DefaultModelBuilderFactory {
        @Override
        protected ProfileActivator[] newProfileActivators() {
            return new ProfileActivator[] {new PropertyProfileActivator(), new MachineProfileActivator()};
        }

        @Override
        protected ModelValidator newModelValidator() {
            return new ModelValidator() {
                @Override
                public void validateRawModel(Model model, ModelBuildingRequest request, ModelProblemCollector problems) {}

                @Override
                public void validateEffectiveModel(
                        Model model, ModelBuildingRequest request, ModelProblemCollector problems) {}
            };
        }
    }

    /** Says no for every condition on the machine. */
    private static class MachineProfileActivator implements ProfileActivator {
        @Override
        public boolean isActive(
                Profile profile, ProfileActivationContext context, ModelProblemCollector problems) {
            return false;
        }

        @Override
        public boolean presentInConfig(
                Profile profile, ProfileActivationContext context, ModelProblemCollector problems) {
            Activation activation = profile.getActivation();
            return activation != null
                    && (activation.getJdk() != null || activation.getOs() != null || activation.getFile() != null);
        }
    }

    /** Finds a POM by coordinates below ROOT, and stands in for every other. */
    private static class Workspace implements ModelResolver {
        private final Map<String, File> poms;

        Workspace(Map<String, File> poms) {
            this.poms = poms;
        }

        @Override
        public ModelSource resolveModel(String group, String artifact, String version) {
            File pom = poms.get(key(group, artifact, version));
            return pom == null ? new Unknown(group, artifact, version) : new FileModelSource(pom);
        }

        @Override
        public ModelSource resolveModel(Parent parent) {
            return resolveModel(parent.getGroupId(), parent.getArtifactId(), parent.getVersion());
        }

        @Override
        public ModelSource resolveModel(Dependency dependency) {
            return resolveModel(dependency.getGroupId(), dependency.getArtifactId(), dependency.getVersion());
        }

        @Override
        public void addRepository(Repository repository) {}

        @Override
        public void addRepository(Repository repository, boolean replace) {}

        @Override
        public ModelResolver newCopy() {
            return this;
        }
    }

    /** The empty POM of a parent or BOM that lives elsewhere. */
    private static class Unknown implements ModelSource {
        private final String group;
        private final String artifact;
        private final String version;

        Unknown(String group, String artifact, String version) {
            this.group = group;
            this.artifact = artifact;
            this.version = version;
        }

        @Override
        public InputStream getInputStream() {
            String pom = "<project><modelVersion>4.0.0</modelVersion><groupId>" + group
                    + "</groupId><artifactId>" + artifact + "</artifactId><version>" + version
                    + "</version><packaging>pom</packaging></project>";
            return new ByteArrayInputStream(pom.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String getLocation() {
            return key(group, artifact, version);
        }
    }
}
