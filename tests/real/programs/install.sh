echo 'Welcome to the installer'
printf 'Install directory [/opt/demo]: '; read d
printf 'Port number: '; read p
printf 'Accept the licence? (yes/no) '; read l
stty -echo; printf 'Admin password: '; read w; stty echo; echo
printf 'Select a profile:\n  1) small\n  2) large\n> '; read s
echo "Installing into ${d:-/opt/demo}"; sleep 2
printf 'Press ENTER to finish'; read x
echo finished $p $l $s
