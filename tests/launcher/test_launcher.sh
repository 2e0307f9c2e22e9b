#!/usr/bin/env bash
# Drives the launcher in a small checkout of its own: test_launcher.sh SOURCE_DIR SCRATCH_DIR.
# Programs that would change the machine (apt-get, sudo) are stand-ins that write down what they were asked for.
set -uo pipefail

source=$1
scratch=$2
failures=0

rm -rf "$scratch"
mkdir -p "$scratch/tree" "$scratch/elsewhere" "$scratch/bin"
scratch=$(cd "$scratch" && pwd -P)
tree=$scratch/tree
cp -r "$source/yawara" "$source/packages.txt" "$source/CMakePresets.json" "$source"/tests/launcher/checkout/* "$tree"
mkdir "$tree/docs"
cp "$source/docs/meanwhile.html" "$tree/docs"
cd "$scratch/elsewhere" || exit 1

# run ARGS...: starts the launcher; leaves its output, errors and exit code in $out, $err, $code.
run() {
    out=$("${launcher:-$tree/yawara}" "$@" 2> "$scratch/err")
    code=$?
    err=$(< "$scratch/err")
}

# expect SENTENCE CONDITION...: the sentence must be true.
expect() {
    local sentence=$1
    shift
    if "$@"; then
        echo "ok: $sentence"
    else
        echo "NOT TRUE: $sentence"
        printf '   exit code %s\n   output: %s\n   errors: %s\n' "$code" "$out" "$err"
        failures=$((failures + 1))
    fi
}
is() { [[ $1 == "$2" ]]; }
has() { [[ $1 == *"$2"* ]]; }

run --help
expect "help needs no build" test ! -e "$tree/build"
expect "help succeeds" is "$code" 0
for verb in run sweep fit check inspect mesh convert render bench demo studio test docs; do
    expect "help names $verb" grep -q "^ .*\b$verb  " <<< "$out"
done

run run 'a scene.json' --frames 3
expect "a first start builds and hands the arguments over as they are, in the user's folder" \
    is "$out" "version 1 in $scratch/elsewhere [run] [a scene.json] [--frames] [3]"
expect "a first start tells how long it takes and what to look at" has "$err" "minutes; pictures until then: file://$tree/docs/meanwhile.html"
expect "a verb does not build the benchmark" test ! -e "$tree/build/release/yawara-bench"

ln -s "$tree/yawara" "$scratch/bin/soft"
launcher=$scratch/bin/soft run check x
expect "a link to the launcher finds its checkout" is "$out" "version 1 in $scratch/elsewhere [check] [x]"
expect "a start with nothing changed says nothing" is "$err" ""

cmake -S "$tree" --preset pieces > /dev/null
run check x
expect "a build file by file is used once it is configured" is "$out|$(test -x "$tree/build/pieces/yawara" && echo built)" \
    "version 1 in $scratch/elsewhere [check] [x]|built"
rm -r "$tree/build/pieces"

run exit 7
expect "the exit code is the program's" is "$code" 7

expect "other verbs leave the studio's page alone" test ! -e "$tree/studio/dist"
run studio x
expect "studio builds its page and starts" is "$out" "version 1 in $scratch/elsewhere [studio] [x]"
expect "the page is there" test -e "$tree/studio/dist/main.js"
run studio
expect "a page that is up to date is not built again" is "$(wc -l < "$tree/studio/dist/builds")|$err" "1|"
sleep 0.1
echo "// changed" >> "$tree/studio/src/main.js"
run studio
expect "a changed page is built before the start" grep -q changed "$tree/studio/dist/main.js"
sleep 0.1
echo "broken(" > "$tree/studio/build.mjs"
run studio
expect "a page that cannot be built stops the start" is "$code|$out" "1|"
cp "$source/tests/launcher/checkout/studio/build.mjs" "$tree/studio/"

run docs --help
expect "help of docs needs nothing" is "$code|$(test -e "$tree/site/node_modules" && echo installed)" "0|"
run docs --out 'some pages'
expect "docs hands program and arguments over, in the user's folder" \
    is "$out" "docs in $scratch/elsewhere [--program] [$tree/build/release/yawara] [--out] [some pages]"

run bench
expect "bench builds the benchmark too" test -x "$tree/build/release/yawara-bench"

sed -i 's/version 1/version 2/' "$tree/main.cpp"
run run
expect "a changed source is built before the start" is "$out" "version 2 in $scratch/elsewhere [run]"

sed -i 's/version 2/version 3/' "$tree/main.cpp"
"$tree/yawara" run > "$scratch/other" 2> /dev/null &
run run
wait $!
expect "two launchers at once both run what was changed" is "$out|$(< "$scratch/other")" \
    "version 3 in $scratch/elsewhere [run]|version 3 in $scratch/elsewhere [run]"

run test
expect "test succeeds when all tests do" is "$code" 0
for kind in cpp fuzz studio docs browser; do
    expect "test ends with a line for $kind" grep -q "$kind *passed" <<< "$out"
done
expect "test runs the tests of the checkout" has "$out" "100% tests passed, 0 tests failed out of 4"
expect "what is long is left to --all" test ! -e "$tree/build/clang"
run test -- -R two
expect "arguments after -- choose the tests" has "$out" "0 tests failed out of 1"
run test two
expect "other arguments of test are refused" is "$code" 2
run test --all two
expect "--all takes no arguments" is "$code" 2

expect "nothing is accepted unasked" test ! -e "$tree/build/release/accepted"
run test --accept-golden
expect "--accept-golden lets the tests write down what they find" is "$code $(< "$tree/build/release/accepted")" "0 yes"

# A second compiler is as good as the first here, and nothing more has to be installed.
sed -i 's/clang++-19/c++/' "$tree/CMakePresets.json"
sed -i 's/^\[long\].*/&\nyawara-no-such-package   for this test/' "$tree/packages.txt"
run --no-install test --all
expect "--all needs packages of its own" has "$code $err" "1 yawara: missing packages"
run --no-install test -- -R two
expect "the other tests do not need them" is "$code" 0
sed -i '/^\[long\]/,$d' "$tree/packages.txt"
run test --all
expect "test --all succeeds when all tests do" is "$code" 0
for kind in cpp fuzz studio docs browser sizes meshes torture clusters asan clang; do
    expect "test --all ends with a line for $kind" grep -q "$kind *passed" <<< "$out"
done
expect "the sanitizers watch the tests of the engine only" test ! -e "$tree/build/asan/yawara"
sed -i 's/yawara_cli one two/yawara_cli exit 5/' "$tree/CMakeLists.txt"
run test
expect "test fails when one test does" is "$code" 1
expect "the other kinds run all the same" has "$out" "fuzz     passed"

sed -i 's/std::cout <</std::cowt <</' "$tree/main.cpp"
run run
expect "a source that does not compile stops the start" is "$code|$out" "1|"
expect "the compiler's message is shown" has "$err" "cowt"

mv "$tree" "$scratch/moved"
tree=$scratch/moved
sed -i 's/std::cowt <</std::cout <</' "$tree/main.cpp"
run run
expect "a checkout that was moved is built anew" is "$out" "version 3 in $scratch/elsewhere [run]"

# From here on a package is missing that does not exist.
sed -i 's/^\[build\].*/&\nyawara-no-such-package   for this test/' "$tree/packages.txt"
run --no-install run
expect "--no-install refuses and names what is missing" has "$code $err" "1 yawara: missing packages"
expect "--no-install names the package" has "$err" "yawara-no-such-package"

cat > "$scratch/bin/apt-get" <<TEXT
#!/bin/sh
echo "\$@" >> "$scratch/asked"
TEXT
printf '#!/bin/sh\nexec "$@"\n' > "$scratch/bin/sudo"
chmod +x "$scratch/bin/apt-get" "$scratch/bin/sudo"
PATH=$scratch/bin:$PATH run run
expect "what is missing is installed, and nothing else" is "$(tail -n 1 "$scratch/asked")" \
    "-q install -y --no-install-recommends yawara-no-such-package"
expect "it says what it installs" has "$err" "installing yawara-no-such-package"
expect "after installing it goes on" is "$out" "version 3 in $scratch/elsewhere [run]"

# What the compiler can do without is installed beside it: here it arrives only once the program is built.
sed -i '/^yawara-no-such-package/d' "$tree/packages.txt"
sed -i 's/^\[films\].*/&\nyawara-no-such-film   for this test/' "$tree/packages.txt"
sed -i 's/version 3/version 4/' "$tree/main.cpp"
cat > "$scratch/bin/apt-get" <<TEXT
#!/bin/sh
echo "\$@" >> "$scratch/asked"
tries=0
until grep -q 'version 4' "$tree/build/release/yawara" || [ \$tries -gt 600 ]; do sleep 0.1; tries=\$((tries + 1)); done
[ \$tries -le 600 ]
TEXT
PATH=$scratch/bin:$PATH run run
expect "a package for films is installed while the program is built" is "$out|$(tail -n 1 "$scratch/asked")" \
    "version 4 in $scratch/elsewhere [run]|-q install -y --no-install-recommends yawara-no-such-film"
expect "it says what it installs meanwhile" has "$err" "meanwhile installing yawara-no-such-film"
run --no-install run
expect "--no-install refuses that, too" has "$code $err" "1 yawara: missing packages"

printf '#!/bin/sh\nexit 100\n' > "$scratch/bin/apt-get"
PATH=$scratch/bin:$PATH run run
expect "a failed installation stops the start" has "$code $err" "could not install yawara-no-such-film"
sed -i 's/^\[build\].*/&\nyawara-no-such-package   for this test/' "$tree/packages.txt"
PATH=$scratch/bin:$PATH run run
expect "whichever it is" has "$code $err" "could not install yawara-no-such-package"

echo "$failures sentences were not true"
exit $((failures > 0))
